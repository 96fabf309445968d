import {
  defineMiddlewares,
  type MedusaNextFunction,
  type MedusaRequest,
  type MedusaResponse,
} from '@medusajs/framework/http';
import { releaseOrder } from '../flows/cancel-order';

/** An order is cancelled only once tilld took its payment back: money that came meanwhile is not lost sight of. */
async function release(req: MedusaRequest, _res: MedusaResponse, next: MedusaNextFunction): Promise<void> {
  try {
    await releaseOrder(req.scope, req.params['id'] ?? '');
    next();
  } catch (error) {
    next(error);
  }
}

export default defineMiddlewares({
  routes: [
    { matcher: '/hooks/tilld', methods: ['POST'], bodyParser: { preserveRawBody: true, sizeLimit: '1mb' } },
    { matcher: '/admin/orders/:id/cancel', methods: ['POST'], middlewares: [release] },
  ],
});
