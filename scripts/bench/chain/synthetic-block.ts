import { hash, randomBytes } from 'node:crypto';

/** The shape of a block: number of transactions, with inputs and outputs as on mainnet. */
export interface BlockShape {
  readonly transactions: number;
  /** Inputs per transaction: 1 up to this many, in turn. */
  readonly maxInputs: number;
  /** One transaction in this many has no witness, so that its signatures have full weight. */
  readonly legacyEvery: number;
}

export interface SyntheticBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly hex: string;
  readonly weight: number;
}

export interface SyntheticTransaction {
  readonly raw: Buffer;
  readonly id: Buffer;
  readonly strippedBytes: number;
}

/** Raw transactions unrelated to the wallet: valid in form, with random signatures. */
export function strangers(shape: BlockShape): SyntheticTransaction[] {
  return Array.from({ length: shape.transactions }, (_, at) =>
    transaction({
      inputs: 1 + (at % shape.maxInputs),
      scripts: Array.from({ length: 1 + (Math.floor(at / 2) % 4) }, (_none, output) => strangeScript(output)),
      hasWitness: at % shape.legacyEvery !== 0,
    }),
  );
}

/** One transaction that pays 1,000,000 atoms to each of these scripts (hex). */
export function payment(scripts: readonly string[]): SyntheticTransaction {
  return transaction({
    inputs: 1,
    scripts: scripts.map((script) => Buffer.from(script, 'hex')),
    hasWitness: true,
  });
}

/** A block of these transactions with a correct header, coinbase first. */
export function blockOf(parentHash: string, transactions: readonly SyntheticTransaction[]): SyntheticBlock {
  const all = [coinbase(), ...transactions];
  const header = Buffer.alloc(80);
  header.writeInt32LE(0x20000000, 0);
  header.set(Buffer.from(parentHash, 'hex').toReversed(), 4);
  merkleRoot(all.map(({ id }) => id)).copy(header, 36);
  header.writeUInt32LE(Math.floor(Date.now() / 1000), 68);
  const bytes = Buffer.concat([header, compactSize(all.length), ...all.map(({ raw }) => raw)]);
  const stripped = all.reduce((sum, each) => sum + each.strippedBytes, bytes.length - sizeOf(all));
  return {
    hash: Buffer.from(doubleSha(header).toReversed()).toString('hex'),
    parentHash,
    hex: bytes.toString('hex'),
    weight: 3 * stripped + bytes.length,
  };
}

function sizeOf(transactions: readonly SyntheticTransaction[]): number {
  return transactions.reduce((sum, { raw }) => sum + raw.length, 0);
}

function coinbase(): SyntheticTransaction {
  const input = Buffer.concat([Buffer.alloc(32), Buffer.from('ffffffff0403a1b2c3ffffffff', 'hex')]);
  return joined({ inputs: [input], outputs: [output(strangeScript(0), 312_500_000)], witnesses: [] });
}

function transaction(parts: {
  readonly inputs: number;
  readonly scripts: readonly Buffer[];
  readonly hasWitness: boolean;
}): SyntheticTransaction {
  const inputs = Array.from({ length: parts.inputs }, (_, index) => {
    const script = parts.hasWitness ? Buffer.alloc(0) : Buffer.concat([noise(71), noise(33)]);
    const outpoint = Buffer.concat([randomBytes(32), Buffer.from([index, 0, 0, 0])]);
    return Buffer.concat([outpoint, Buffer.from([script.length]), script, Buffer.from('fdffffff', 'hex')]);
  });
  const outputs = parts.scripts.map((script) => output(script, 1_000_000));
  const witnesses = parts.hasWitness
    ? inputs.map(() => Buffer.concat([Buffer.from([2]), noise(71), noise(33)]))
    : [];
  return joined({ inputs, outputs, witnesses });
}

/** A pushed signature or key, which is never verified. */
function noise(bytes: number): Buffer {
  return Buffer.concat([Buffer.from([bytes]), randomBytes(bytes)]);
}

function output(script: Buffer, atoms: number): Buffer {
  const amount = Buffer.alloc(8);
  amount.writeUIntLE(atoms, 0, 6);
  return Buffer.concat([amount, Buffer.from([script.length]), script]);
}

/** P2WPKH, P2PKH and P2TR in turn. */
function strangeScript(at: number): Buffer {
  if (at % 3 === 0) return Buffer.concat([Buffer.from('0014', 'hex'), randomBytes(20)]);
  if (at % 3 === 2) return Buffer.concat([Buffer.from('5120', 'hex'), randomBytes(32)]);
  return Buffer.concat([Buffer.from('76a914', 'hex'), randomBytes(20), Buffer.from('88ac', 'hex')]);
}

function joined(parts: {
  readonly inputs: readonly Buffer[];
  readonly outputs: readonly Buffer[];
  readonly witnesses: readonly Buffer[];
}): SyntheticTransaction {
  const { inputs, outputs, witnesses } = parts;
  const version = Buffer.from('02000000', 'hex');
  const lockTime = Buffer.alloc(4);
  const body = Buffer.concat([
    compactSize(inputs.length),
    ...inputs,
    compactSize(outputs.length),
    ...outputs,
  ]);
  const stripped = Buffer.concat([version, body, lockTime]);
  const raw =
    witnesses.length === 0
      ? stripped
      : Buffer.concat([version, Buffer.from([0, 1]), body, ...witnesses, lockTime]);
  return { raw, id: doubleSha(stripped), strippedBytes: stripped.length };
}

function merkleRoot(ids: readonly Buffer[]): Buffer {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return only;
  const next: Buffer[] = [];
  for (const [at, left] of ids.entries()) {
    if (at % 2 === 0) next.push(doubleSha(Buffer.concat([left, ids[at + 1] ?? left])));
  }
  return merkleRoot(next);
}

function doubleSha(bytes: Buffer): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

function compactSize(value: number): Buffer {
  if (value < 0xfd) return Buffer.from([value]);
  const bytes = Buffer.alloc(3, 0xfd);
  bytes.writeUInt16LE(value, 1);
  return bytes;
}
