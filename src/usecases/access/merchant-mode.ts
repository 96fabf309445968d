import type { Mode } from '../../domain/coins.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';

/**
 * The mode a merchant takes payments in now, or the one that a reader asked for. What is only read may be of either
 * mode; what changes something is always of the first.
 */
export function merchantMode({ sandbox }: Pick<MerchantRow, 'sandbox'>, asked?: Mode): Mode {
  return asked ?? (sandbox === 1 ? 'sandbox' : 'live');
}
