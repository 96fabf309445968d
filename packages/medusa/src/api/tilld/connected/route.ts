import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { finishConnect } from '../../../flows/connect';
import { detectLanguage, messagesIn } from '../../../messages';
import { page } from '../../../page';

/** Where the owner comes back to from tilld. Who does not bring the state of our own request gets nothing. */
export async function GET(req: MedusaRequest, res: MedusaResponse): Promise<void> {
  const language = detectLanguage(req);
  const words = messagesIn(language).page;
  const one = (name: string): string | undefined => {
    const value = req.query[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const code = one('code');
  const state = one('state');
  try {
    const back = { ...(code === undefined ? {} : { code }), ...(state === undefined ? {} : { state }) };
    const outcome = await finishConnect(req.scope, back);
    const status = outcome === 'connected' ? 200 : 400;
    page(res.status(status), language, words.title, [words[outcome]]);
  } catch (error) {
    const logger = req.scope.resolve(ContainerRegistrationKeys.LOGGER);
    logger.error(`tilld: the shop could not be connected: ${(error as Error).message}`);
    page(res.status(502), language, words.title, [words.failed, (error as Error).message]);
  }
}
