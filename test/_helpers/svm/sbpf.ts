/**
 * Just enough of an assembler for a small on-chain program: instructions of sBPF version 0 and the
 * ELF file that Solana's loader takes. No toolchain for the target can be installed where the tests
 * run, and a committed binary could not be read.
 */

type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** One instruction of eight bytes; with a symbol it is a call that the loader points at a system call. */
interface Instruction {
  readonly bytes: Uint8Array;
  readonly symbol?: string;
}

function encode(
  opcode: number,
  fields: { dst?: Register; src?: Register; offset?: number; imm?: number },
): Instruction {
  const { dst = 0, src = 0, offset = 0, imm = 0 } = fields;
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(opcode, 0);
  bytes.writeUInt8((src << 4) | dst, 1);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(imm, 4);
  return { bytes };
}

/** Bits of a load or store by its width in bytes. */
const WIDTHS = { 1: 0x10, 4: 0x00, 8: 0x18 } as const;
type Width = keyof typeof WIDTHS;

export const sbpf = {
  /** dst = imm */
  set: (dst: Register, imm: number) => encode(0xb7, { dst, imm }),
  /** dst = src */
  copy: (dst: Register, src: Register) => encode(0xbf, { dst, src }),
  /** dst += imm */
  add: (dst: Register, imm: number) => encode(0x07, { dst, imm }),
  /** dst += src */
  addRegister: (dst: Register, src: Register) => encode(0x0f, { dst, src }),
  /** dst &= imm, sign-extended to 64 bits */
  and: (dst: Register, imm: number) => encode(0x57, { dst, imm }),
  /** dst = *(src + offset) */
  load: (width: Width, dst: Register, src: Register, offset: number) =>
    encode(0x61 | WIDTHS[width], { dst, src, offset }),
  /** *(dst + offset) = src */
  store: (width: Width, dst: Register, offset: number, src: Register) =>
    encode(0x63 | WIDTHS[width], { dst, src, offset }),
  /** *(dst + offset) = imm */
  storeValue: (width: Width, dst: Register, offset: number, imm: number) =>
    encode(0x62 | WIDTHS[width], { dst, offset, imm }),
  /** r0 = symbol(r1, r2, r3, r4, r5) */
  call: (symbol: string): Instruction => ({ ...encode(0x85, { src: 1, imm: -1 }), symbol }),
  exit: () => encode(0x95, {}),
};

const EHDR_BYTES = 64;
const PHDR_BYTES = 56;
const SHDR_BYTES = 64;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 16;
const MACHINE_BPF = 247;
/** The relocation that writes the hash of a system call's name into a call. */
const R_BPF_64_32 = 10n;
const DYNAMIC = { strings: 5n, symbols: 6n, stringsSize: 10n, rel: 17n, relSize: 18n, relEntry: 19n };

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly link: number;
  readonly entrySize: number;
  readonly content: Uint8Array;
}

/** Instructions → a shared object whose entry point is the first of them. */
export function linkProgram(instructions: readonly Instruction[]): Uint8Array {
  const symbols = [...new Set(instructions.flatMap(({ symbol }) => (symbol === undefined ? [] : [symbol])))];
  const strings = Buffer.from(`\0${symbols.map((symbol) => `${symbol}\0`).join('')}`);
  const text = Buffer.concat(instructions.map(({ bytes }) => bytes));
  const textAt = EHDR_BYTES + 2 * PHDR_BYTES;
  const symbolTable = Buffer.concat([
    Buffer.alloc(SYMBOL_BYTES),
    ...symbols.map((symbol) => undefinedFunction(strings.indexOf(`\0${symbol}\0`) + 1)),
  ]);
  const relocations = Buffer.concat(
    instructions.flatMap(({ symbol }, index) =>
      symbol === undefined ? [] : [relocation(textAt + index * 8, symbols.indexOf(symbol) + 1)],
    ),
  );
  const symbolsAt = textAt + text.length;
  const stringsAt = symbolsAt + symbolTable.length;
  const relocationsAt = align(stringsAt + strings.length);
  const dynamic = u64s([
    [DYNAMIC.symbols, symbolsAt],
    [DYNAMIC.strings, stringsAt],
    [DYNAMIC.stringsSize, strings.length],
    [DYNAMIC.rel, relocationsAt],
    [DYNAMIC.relSize, relocations.length],
    [DYNAMIC.relEntry, RELOCATION_BYTES],
    [0n, 0],
  ]);
  return assemble([
    { name: '.text', type: 1, flags: 6, link: 0, entrySize: 0, content: text },
    { name: '.dynsym', type: 11, flags: 2, link: 3, entrySize: SYMBOL_BYTES, content: symbolTable },
    { name: '.dynstr', type: 3, flags: 2, link: 0, entrySize: 0, content: pad(strings) },
    { name: '.rel.dyn', type: 9, flags: 2, link: 2, entrySize: RELOCATION_BYTES, content: relocations },
    { name: '.dynamic', type: 6, flags: 3, link: 3, entrySize: 16, content: dynamic },
  ]);
}

/** Lays sections out one behind the other; addresses are offsets in the file. */
function assemble(sections: readonly Section[]): Uint8Array {
  const names = pad(Buffer.from(`\0${sections.map(({ name }) => `${name}\0`).join('')}.shstrtab\0`));
  const all = [...sections, { name: '.shstrtab', type: 3, flags: 0, link: 0, entrySize: 0, content: names }];
  const first = EHDR_BYTES + 2 * PHDR_BYTES;
  let end = first;
  const placed = all.map((section) => {
    const at = end;
    end += section.content.length;
    return { ...section, at };
  });
  const headers = placed.map(({ name, type, flags, link, entrySize, at, content }) => {
    const header = Buffer.alloc(SHDR_BYTES);
    header.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, 0);
    header.writeUInt32LE(type, 4);
    const address = flags === 0 ? 0 : at;
    [flags, address, at, content.length].forEach((value, i) =>
      header.writeBigUInt64LE(BigInt(value), 8 + i * 8),
    );
    header.writeUInt32LE(link, 40);
    header.writeBigUInt64LE(8n, 48);
    header.writeBigUInt64LE(BigInt(entrySize), 56);
    return header;
  });
  const dynamic = placed.find(({ name }) => name === '.dynamic');
  if (dynamic === undefined) throw new Error('a program has a dynamic section');
  return Buffer.concat([
    fileHeader({ entry: first, sectionsAt: end, sections: all.length + 1 }),
    programHeader({ type: 1, flags: 5, at: first, size: dynamic.at + dynamic.content.length - first }),
    programHeader({ type: 2, flags: 6, at: dynamic.at, size: dynamic.content.length }),
    ...all.map(({ content }) => content),
    Buffer.alloc(SHDR_BYTES),
    ...headers,
  ]);
}

function fileHeader(layout: { entry: number; sectionsAt: number; sections: number }): Buffer {
  const header = Buffer.alloc(EHDR_BYTES);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(MACHINE_BPF, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(layout.entry), 24);
  header.writeBigUInt64LE(BigInt(EHDR_BYTES), 32);
  header.writeBigUInt64LE(BigInt(layout.sectionsAt), 40);
  const sizes = [EHDR_BYTES, PHDR_BYTES, 2, SHDR_BYTES, layout.sections, layout.sections - 1];
  sizes.forEach((value, index) => header.writeUInt16LE(value, 52 + index * 2));
  return header;
}

function programHeader(segment: { type: number; flags: number; at: number; size: number }): Buffer {
  const header = Buffer.alloc(PHDR_BYTES);
  header.writeUInt32LE(segment.type, 0);
  header.writeUInt32LE(segment.flags, 4);
  const { at, size } = segment;
  [at, at, at, size, size, 8].forEach((value, index) =>
    header.writeBigUInt64LE(BigInt(value), 8 + index * 8),
  );
  return header;
}

function undefinedFunction(nameAt: number): Buffer {
  const symbol = Buffer.alloc(SYMBOL_BYTES);
  symbol.writeUInt32LE(nameAt, 0);
  symbol.writeUInt8(0x10, 4);
  return symbol;
}

function relocation(at: number, symbol: number): Buffer {
  const entry = Buffer.alloc(RELOCATION_BYTES);
  entry.writeBigUInt64LE(BigInt(at), 0);
  entry.writeBigUInt64LE((BigInt(symbol) << 32n) | R_BPF_64_32, 8);
  return entry;
}

function u64s(pairs: readonly (readonly [bigint, number])[]): Buffer {
  const table = Buffer.alloc(pairs.length * 16);
  pairs.forEach(([tag, value], index) => {
    table.writeBigUInt64LE(tag, index * 16);
    table.writeBigUInt64LE(BigInt(value), index * 16 + 8);
  });
  return table;
}

function align(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

function pad(content: Uint8Array): Buffer {
  const padded = Buffer.alloc(align(content.length));
  padded.set(content);
  return padded;
}
