import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { renewRefund } from '../../../../../../flows/refund';
import type TilldService from '../../../../../../modules/tilld/service';

/** A new claim link for a refund; `deduct_fee` takes the network fee from its amount. The settings page has a button for it. */
export async function POST(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const tilld = req.scope.resolve<TilldService>('tilld');
  const client = await tilld.client();
  const { deduct_fee } = { ...req.query, ...(req.body as object | undefined) } as { deduct_fee?: unknown };
  const deductFee = deduct_fee === undefined ? undefined : deduct_fee === true || deduct_fee === 'true';
  const renewed = await renewRefund({ tilld, client }, req.params['id'] ?? '', deductFee);
  if (req.accepts(['json', 'html']) === 'html') {
    res.redirect(303, '/admin/tilld');
    return;
  }
  const { sealed_url, ...refund } = renewed;
  res.json({ refund: { ...refund, url: tilld.open(sealed_url) } });
}
