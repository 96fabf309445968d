import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { verifyWebhook, WebhookError } from '@tilld/sdk';
import { applyPayment } from '../../../flows/apply-payment';
import type TilldService from '../../../modules/tilld/service';

/**
 * tilld's webhooks. The answer comes after the work, so that whatever fails here is sent again. The body only says
 * which payment to ask for.
 */
export async function POST(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const logger = req.scope.resolve(ContainerRegistrationKeys.LOGGER);
  try {
    const connected = await req.scope.resolve<TilldService>('tilld').connected();
    if (connected === null) {
      res.status(503).json({ message: 'not connected' });
      return;
    }
    const raw = (req as MedusaRequest & { rawBody?: Buffer }).rawBody ?? '';
    const event = await verifyWebhook(raw, req.headers, connected.webhookSecret);
    const { payment } = event.data as { payment?: { id: string } };
    const outcome = payment === undefined ? 'foreign' : await applyPayment(req.scope, payment.id);
    res.status(200).json({ outcome });
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof WebhookError) {
      logger.warn(`tilld: a webhook was refused: ${message}`);
      res.status(400).json({ message });
      return;
    }
    logger.error(`tilld: a webhook failed and will come again: ${message}`);
    res.status(503).json({ message: 'failed, send it again' });
  }
}
