const RIGHT_TO_LEFT_MARK = '\u200f';
const LEFT_TO_RIGHT_MARK = '\u200e';
/** A symbol with the letters of a country before it, such as "US$" and "UK£". */
const LETTERED = /[A-Z]\p{Sc}/u;

/**
 * An amount with its currency, as Intl formats it. In one for a right-to-left language, a mark keeps "US$" together:
 * browsers would show "$US".
 */
export function markSymbol(amount: string): string {
  if (!amount.startsWith(RIGHT_TO_LEFT_MARK)) return amount;
  return amount.replace(LETTERED, `$&${LEFT_TO_RIGHT_MARK}`);
}
