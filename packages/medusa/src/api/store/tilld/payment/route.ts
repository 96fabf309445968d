import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { readStatus } from '../../../../flows/status';

/** The payment of a cart or an order, by `cart_id` or `order_id`. */
export async function GET(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const { cart_id, order_id } = req.query;
  const wanted =
    typeof order_id === 'string' && order_id !== ''
      ? { order_id }
      : { cart_id: typeof cart_id === 'string' ? cart_id : '' };
  const payment = await readStatus(req.scope, wanted);
  if (payment === null) res.status(404).json({ message: 'no payment of that cart or order' });
  else res.json({ payment });
}
