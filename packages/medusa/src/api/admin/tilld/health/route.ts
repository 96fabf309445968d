import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { readHealth } from '../../../../flows/health';

export async function GET(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  res.json({ health: await readHealth(req.scope) });
}
