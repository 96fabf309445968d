import type { Mode } from '../../domain/coins.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';

/**
 * The merchant's current mode, or the one that the reader requested. Reads may use either mode; changes
 * always use the current one.
 */
export function merchantMode({ sandbox }: Pick<MerchantRow, 'sandbox'>, requested?: Mode): Mode {
  return requested ?? (sandbox ? 'sandbox' : 'live');
}
