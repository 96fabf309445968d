import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { showPayments } from '../../../../flows/show';
import { detectLanguage } from '../../../../messages';

/** Payments with notes and claim links, by `order_id`, `cart_id` or `payment_id`. */
export async function GET(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const { order_id, cart_id, payment_id } = req.query;
  const wanted = {
    ...(typeof order_id === 'string' ? { order_id } : {}),
    ...(typeof cart_id === 'string' ? { cart_id } : {}),
    ...(typeof payment_id === 'string' ? { id: payment_id } : {}),
  };
  res.json({ payments: await showPayments(req.scope, wanted, detectLanguage(req)) });
}
