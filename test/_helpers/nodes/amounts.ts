/** Exact conversion between atoms (10^-8 of a coin) and the decimals that the daemons speak. */

const ATOM_DIGITS = 8;
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,8}))?$/;

/** `'0.5'` → `50000000n`. Refuses anything that is not exact at eight decimals. */
export function toAtoms(decimal: string): bigint {
  const match = DECIMAL.exec(decimal);
  if (match === null) throw new Error(`not an amount with up to eight decimals: ${decimal}`);
  const [, sign, whole = '', fraction = ''] = match;
  const atoms = BigInt(whole + fraction.padEnd(ATOM_DIGITS, '0'));
  return sign === '-' ? -atoms : atoms;
}

/** `50000000n` → `'0.50000000'`. */
export function toDecimal(atoms: bigint): string {
  const digits = (atoms < 0n ? -atoms : atoms).toString().padStart(ATOM_DIGITS + 1, '0');
  const whole = digits.slice(0, -ATOM_DIGITS);
  return `${atoms < 0n ? '-' : ''}${whole}.${digits.slice(-ATOM_DIGITS)}`;
}
