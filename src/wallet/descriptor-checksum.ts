/** BIP-380: positions in this string are the symbols of a descriptor, in three groups of 32. */
const INPUT_CHARSET =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ ';
const CHECKSUM_CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [
  0xf5_de_e5_19_89n,
  0xa9_fd_ca_33_12n,
  0x1b_ab_10_e3_2dn,
  0x37_06_b1_67_7an,
  0x64_4d_62_6f_fdn,
];
const CHECKSUM_LENGTH = 8;

/** The checksum of an output descriptor (BIP-380). @throws {RangeError} on a character that descriptors do not have. */
export function descriptorChecksum(descriptor: string): string {
  const symbols: number[] = [];
  let groups: number[] = [];
  for (const character of descriptor) {
    const position = INPUT_CHARSET.indexOf(character);
    if (position === -1) throw new RangeError('a descriptor has characters of printable ASCII only');
    symbols.push(position & 31);
    groups.push(position >> 5);
    if (groups.length === 3) {
      symbols.push(groups.reduce((sum, group) => sum * 3 + group, 0));
      groups = [];
    }
  }
  if (groups.length > 0) symbols.push(groups.reduce((sum, group) => sum * 3 + group, 0));
  const checksum = [...symbols, ...Array<number>(CHECKSUM_LENGTH).fill(0)].reduce(polymodStep, 1n) ^ 1n;
  return Array.from(
    { length: CHECKSUM_LENGTH },
    (_, at) => CHECKSUM_CHARSET[Number((checksum >> BigInt(5 * (CHECKSUM_LENGTH - 1 - at))) & 31n)],
  ).join('');
}

function polymodStep(state: bigint, symbol: number): bigint {
  const shifted = ((state & 0x7_ff_ff_ff_ffn) << 5n) ^ BigInt(symbol);
  return GENERATOR.reduce((sum, term, bit) => ((state >> BigInt(35 + bit)) & 1n ? sum ^ term : sum), shifted);
}
