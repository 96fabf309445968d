import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { startConnect } from '../../../../flows/connect';

/** The connect button: yields the address of tilld's connect page; the form of the settings page goes there. */
export async function POST(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const url = await startConnect(req.scope);
  if (req.accepts(['json', 'html']) === 'html') res.redirect(303, url);
  else res.json({ url });
}
