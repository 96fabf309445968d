import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { renewRefund } from '../../../../../../flows/refund';
import type TilldService from '../../../../../../modules/tilld/service';

/** A new claim link for a refund whose link expired or was cancelled. */
export async function POST(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const tilld = req.scope.resolve<TilldService>('tilld');
  const client = await tilld.client();
  const { sealed_url, ...refund } = await renewRefund({ tilld, client }, req.params['id'] ?? '');
  res.json({ refund: { ...refund, url: tilld.open(sealed_url) } });
}
