import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { readHealth } from '../../../flows/health';
import { showPayments } from '../../../flows/show';
import { detectLanguage } from '../../../messages';
import { settingsPage } from '../../../page';

/** The settings page: health, the connect button, and the payments with what there is to read about them. */
export async function GET(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const language = detectLanguage(req);
  const { order_id } = req.query;
  const wanted = typeof order_id === 'string' ? { order_id } : {};
  const [health, payments] = await Promise.all([
    readHealth(req.scope),
    showPayments(req.scope, wanted, language),
  ]);
  settingsPage(res, language, health, payments);
}
