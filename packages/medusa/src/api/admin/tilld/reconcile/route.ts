import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { reconcile } from '../../../../flows/reconcile';

/** Runs the job now. */
export async function POST(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  res.json({ reconciled: await reconcile(req.scope) });
}
