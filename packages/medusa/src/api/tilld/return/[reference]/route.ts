import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { findDestination } from '../../../../flows/way-back';

/** Where customers come back to from the checkout. Always another place: what is true now may not be so later. */
export async function GET(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const url = await findDestination(req.scope, req.params['reference'] ?? '');
  if (url === null) {
    res.status(404).json({ message: 'no such order' });
    return;
  }
  res.setHeader('cache-control', 'no-store');
  res.setHeader('referrer-policy', 'no-referrer');
  res.redirect(303, url);
}
