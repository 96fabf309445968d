/** PSBTs of accounts of other wallets: what signers get, and what of their answers counts. */
import { schnorr } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { OutScript, RawTx, SigHash, Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import {
  MAX_PSBT_LENGTH,
  maxPsbtInputs,
  type PsbtAccount,
  type PsbtInput,
  type PsbtOutput,
} from '../../../src/domain/psbt.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { readWatchAccount } from '../../../src/wallet/watch-account.ts';

const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const PATH = "m/48'/1'/0'/2'";
const masters = [1, 2, 3].map((byte) => HDKey.fromMasterSeed(Buffer.alloc(32, byte), VERSIONS));

function keyText(master: HDKey): string {
  const origin = `${master.fingerprint.toString(16).padStart(8, '0')}/48h/1h/0h/2h`;
  return `[${origin}]${master.derive(PATH).publicExtendedKey}/<0;1>/*`;
}
const [one, two, three] = masters.map(keyText);
const MULTISIG = `sortedmulti(2,${one},${two},${three})`;
const KINDS = {
  wpkh: { body: `wpkh(${one})`, signers: 1 },
  'sh(wpkh)': { body: `sh(wpkh(${one}))`, signers: 1 },
  tr: { body: `tr(${one})`, signers: 1 },
  'wsh(sortedmulti)': { body: `wsh(${MULTISIG})`, signers: 2 },
  'sh(wsh(sortedmulti))': { body: `sh(wsh(${MULTISIG}))`, signers: 2 },
} as const;
type Kind = keyof typeof KINDS;

function openAccount(kind: Kind): { psbts: PsbtAccount; script: (branch: 0 | 1, index: number) => string } {
  const { body } = KINDS[kind];
  const keys = readWatchAccount(UTXO_COINS.BTC, 'testnet', `${body}#${descriptorChecksum(body)}`);
  if ('problem' in keys || keys.psbts === null) throw new Error('no PSBTs');
  const { psbts } = keys;
  const script = (branch: 0 | 1, index: number): string => {
    const input = { ref: { txid: 'aa'.repeat(32), index: 0 }, amount: 1n, branch, index };
    const { psbt } = psbts.build({ inputs: [input], outputs: [] });
    return Buffer.from(open(psbt).getInput(0).witnessUtxo?.script ?? []).toString('hex');
  };
  return { psbts, script };
}

const open = (psbt: string): Transaction => Transaction.fromPSBT(Buffer.from(psbt, 'base64'));
const write = (transaction: Transaction): string => Buffer.from(transaction.toPSBT(0)).toString('base64');
const PAYEE = `0014${'77'.repeat(20)}`;
const input = (byte: number, amount: bigint, index = byte): PsbtInput => ({
  ref: { txid: byte.toString(16).padStart(2, '0').repeat(32), index: byte % 4 },
  amount,
  branch: byte % 2 === 0 ? 0 : 1,
  index,
});
const payee = (amount: bigint): PsbtOutput => ({
  address: 'payee',
  script: PAYEE,
  amount,
  changeIndex: null,
});

/** A send of two inputs with change. */
function buildSend(kind: Kind, paid = 150_000n) {
  const { psbts, script } = openAccount(kind);
  const change = { address: 'change', script: script(1, 7), amount: 49_000n, changeIndex: 7 };
  const inputs = [input(2, 100_000n), input(5, 100_000n)];
  return { psbts, ...psbts.build({ inputs, outputs: [change, payee(paid)] }) };
}

/** The account's key of each input's derivation, at the master's path. */
function signBy(psbt: string, master: HDKey, sighash?: number[]): string {
  const transaction = open(psbt);
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    const { bip32Derivation = [], tapBip32Derivation = [] } = transaction.getInput(at);
    const origins = [
      ...bip32Derivation.map(([, der]) => der),
      ...tapBip32Derivation.map(([, { der }]) => der),
    ];
    const own = origins.find(({ fingerprint }) => fingerprint === master.fingerprint);
    if (own === undefined) throw new Error('the key of this master is not in the PSBT');
    let node = master;
    for (const step of own.path) node = node.deriveChild(step);
    const key = node.privateKey;
    if (key === null) throw new Error('no private key');
    transaction.signIdx(key, at, sighash);
  }
  return write(transaction);
}

const signAll = (kind: Kind, psbt: string): string =>
  masters.slice(0, KINDS[kind].signers).reduce((signed, master) => signBy(signed, master), psbt);

describe.each(Object.keys(KINDS) as Kind[])('psbtAccount of %s', (kind) => {
  it('names the keys of inputs and change by the master and the path of the descriptor', () => {
    const { psbt } = buildSend(kind);
    const transaction = open(psbt);
    const change = transaction.getOutput(0);
    const { bip32Derivation = [], tapBip32Derivation = [] } = change;
    const origins = [
      ...bip32Derivation.map(([, der]) => der),
      ...tapBip32Derivation.map(([, { der }]) => der),
    ];
    const { length } = KINDS[kind].signers === 1 ? [0] : masters;
    const expected = masters.slice(0, length).map(({ fingerprint }) => fingerprint);
    expect(new Set(origins.map(({ fingerprint }) => fingerprint))).toEqual(new Set(expected));
    const hard = 2 ** 31;
    for (const { path } of origins) expect(path).toEqual([hard + 48, hard + 1, hard, hard + 2, 1, 7]);
    expect(transaction.getOutput(1).bip32Derivation).toBeUndefined();
  });

  it('makes the transaction whose id it announced, within the size that it announced', () => {
    const { psbts, psbt, txid } = buildSend(kind);
    const merged = psbts.addSignatures(psbt, psbts.readSignatures(psbt, signAll(kind, psbt)));
    const { signers } = KINDS[kind];
    expect(psbts.countSignatures(merged)).toEqual({ required: signers, collected: signers });
    const signed = psbts.finalize(merged);
    expect(signed.txid).toBe(txid);
    const transaction = Transaction.fromRaw(Buffer.from(signed.raw, 'hex'), { allowUnknownInputs: true });
    const bytes = 4 + 4 + 1 + 1 + (8 + 1 + 22) + (8 + 1 + (open(psbt).getOutput(0).script?.length ?? 0));
    const most = bytes * 4 + 2 + 2 * psbts.inputSize.weight;
    expect(transaction.weight).toBeLessThanOrEqual(most);
    // DER signatures are up to two bytes shorter.
    expect(transaction.weight).toBeGreaterThanOrEqual(most - 2 * 4 * signers);
  });

  it('reads the signatures of a signer that finished its inputs', () => {
    const { psbts, psbt, txid } = buildSend(kind);
    const finished = open(signAll(kind, psbt));
    finished.finalize();
    const merged = psbts.addSignatures(psbt, psbts.readSignatures(psbt, write(finished)));
    expect(psbts.finalize(merged).txid).toBe(txid);
  });

  it('refuses a copy with another recipient, amount, change, input, output, sequence or locktime', () => {
    const { psbts, psbt } = buildSend(kind);
    const edits: ((raw: ReturnType<typeof RawTx.decode>) => void)[] = [
      (raw) => raw.outputs.push({ amount: 1n, script: Buffer.from(PAYEE, 'hex') }),
      (raw) => raw.outputs.pop(),
      (raw) => Object.assign(raw.outputs[1] ?? {}, { amount: 150_001n }),
      (raw) => Object.assign(raw.outputs[0] ?? {}, { script: Buffer.from(PAYEE, 'hex') }),
      (raw) => Object.assign(raw.outputs[1] ?? {}, { script: Buffer.from(`0014${'88'.repeat(20)}`, 'hex') }),
      (raw) => raw.inputs.push({ ...(raw.inputs[0] as (typeof raw.inputs)[0]), index: 9 }),
      (raw) => Object.assign(raw.inputs[0] ?? {}, { sequence: 0xffffffff }),
      (raw) => Object.assign(raw, { lockTime: 1 }),
      (raw) => Object.assign(raw, { version: 1 }),
      (raw) => Object.assign(raw, { inputs: raw.inputs.toReversed() }),
    ];
    for (const edit of edits) {
      const raw = RawTx.decode(open(psbt).unsignedTx);
      edit(raw);
      const forged = new Transaction({ version: raw.version, lockTime: raw.lockTime });
      for (const { txid, index, sequence } of raw.inputs) forged.addInput({ txid, index, sequence });
      for (const { amount, script } of raw.outputs) forged.addOutput({ amount, script });
      expect(() => psbts.readSignatures(psbt, write(forged))).toThrow('is of another transaction');
    }
  });

  it('refuses a signature that allows changes, and one for another amount', () => {
    const { psbts, psbt } = buildSend(kind);
    const [master] = masters;
    if (master === undefined) throw new Error('no master');
    for (const type of [
      SigHash.NONE,
      SigHash.SINGLE,
      SigHash.ALL_ANYONECANPAY,
      SigHash.SINGLE_ANYONECANPAY,
    ]) {
      const asked = open(psbt);
      for (let at = 0; at < 2; at += 1) asked.updateInput(at, { sighashType: type }, true);
      const signed = open(signBy(write(asked), master, [type]));
      expect(() => psbts.readSignatures(psbt, write(signed))).toThrow('with another hash type than ALL');
      for (let at = 0; at < 2; at += 1) signed.updateInput(at, { sighashType: undefined }, true);
      expect(() => psbts.readSignatures(psbt, write(signed))).toThrow('with another hash type than ALL');
    }
    const other = buildSend(kind, 140_000n);
    const [theirs, copy] = [open(signBy(other.psbt, master)), open(psbt)];
    const { partialSig, tapKeySig } = theirs.getInput(0);
    copy.updateInput(0, tapKeySig === undefined ? { partialSig } : { tapKeySig }, true);
    expect(() => psbts.readSignatures(psbt, write(copy))).toThrow('has an invalid signature for input 0');
  });

  it('uses nothing but valid signatures of a copy with any byte changed', () => {
    const { psbts, psbt, txid } = buildSend(kind);
    const signed = Buffer.from(signAll(kind, psbt), 'base64');
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(signed);
        changed[at] = (changed[at] ?? 0) ^ flip;
        let merged: string;
        try {
          merged = psbts.addSignatures(psbt, psbts.readSignatures(psbt, changed.toString('base64')));
        } catch (error) {
          expect((error as Error).name).toBe('PsbtProblem');
          return;
        }
        const { required, collected } = psbts.countSignatures(merged);
        if (collected === required) expect(psbts.finalize(merged).txid).toBe(txid);
      }),
      { numRuns: 30 },
    );
  });
});

describe('psbtAccount of a multisig', () => {
  const kind = 'wsh(sortedmulti)';
  const [a, b, c] = masters as [HDKey, HDKey, HDKey];

  it('merges signatures of any two signers in any order, counts them, and stops at the second', () => {
    const { psbts, psbt, txid } = buildSend(kind);
    for (const [first, second, third] of [
      [a, b, c],
      [c, a, b],
      [b, c, a],
    ] as const) {
      const once = psbts.addSignatures(psbt, psbts.readSignatures(psbt, signBy(psbt, first)));
      expect(psbts.countSignatures(once)).toEqual({ required: 2, collected: 1 });
      const again = psbts.addSignatures(once, psbts.readSignatures(psbt, signBy(psbt, first)));
      expect(again).toBe(once);
      expect(() => psbts.finalize(once)).toThrow();
      const both = psbts.addSignatures(once, psbts.readSignatures(psbt, signBy(psbt, second)));
      expect(psbts.addSignatures(both, psbts.readSignatures(psbt, signBy(psbt, third)))).toBe(both);
      expect(psbts.finalize(both).txid).toBe(txid);
    }
  });

  it('refuses a valid signature of a key that is not in the script', () => {
    const { psbts, psbt } = buildSend(kind);
    const stranger = HDKey.fromMasterSeed(Buffer.alloc(32, 9), VERSIONS);
    const signed = open(signBy(psbt, a));
    const [[, signature]] = signed.getInput(0).partialSig as [[Uint8Array, Uint8Array]];
    const copy = open(psbt);
    copy.updateInput(0, { partialSig: [[stranger.publicKey as Uint8Array, signature]] }, true);
    expect(() => psbts.readSignatures(psbt, write(copy))).toThrow('of a key that input 0 does not have');
  });
});

describe('readSignatures', () => {
  it('refuses texts that are no PSBT, too long ones, and a PSBT without a signature', () => {
    const { psbts, psbt } = buildSend('wpkh');
    for (const text of ['', 'cHNidP8=', 'hello world', '70736274ff', 'cHNidP8BAAA='])
      expect(() => psbts.readSignatures(psbt, text)).toThrow(/must be a PSBT|not a valid PSBT/);
    expect(() => psbts.readSignatures(psbt, 'A'.repeat(MAX_PSBT_LENGTH + 4))).toThrow('must have at most');
    expect(() => psbts.readSignatures(psbt, psbt)).toThrow('has no signature');
  });

  it('refuses a taproot signature with more bytes than its hash type', () => {
    const { psbts, psbt } = buildSend('tr');
    const finished = open(signAll('tr', psbt));
    finished.finalize();
    for (const extra of [[0], [1], [3], [0, 0], [1, 1, 1]]) {
      const copy = open(write(finished));
      const [signature = new Uint8Array()] = copy.getInput(0).finalScriptWitness ?? [];
      copy.updateInput(0, { finalScriptWitness: [Buffer.concat([signature, Buffer.from(extra)])] }, true);
      expect(() => psbts.readSignatures(psbt, write(copy))).toThrow(/hash type|invalid signature/);
    }
  });

  it('refuses a finished multisig with more signatures than its script accepts', () => {
    const { psbts, psbt } = buildSend('wsh(sortedmulti)');
    const finished = open(signAll('wsh(sortedmulti)', psbt));
    finished.finalize();
    const witness = finished.getInput(0).finalScriptWitness ?? [];
    const [none = new Uint8Array(), first = new Uint8Array()] = witness;
    const script = witness.at(-1) ?? new Uint8Array();
    const many = Array.from({ length: 4 }, () => first);
    finished.updateInput(0, { finalScriptWitness: [none, ...many, script] }, true);
    expect(() => psbts.readSignatures(psbt, write(finished))).toThrow('more signatures');
  });

  it('refuses a finished multisig whose signatures are in another order than its keys, or repeated', () => {
    const { psbts, psbt } = buildSend('wsh(sortedmulti)');
    const finished = open(signAll('wsh(sortedmulti)', psbt));
    finished.finalize();
    const [none, first, second, script] = finished.getInput(0).finalScriptWitness as Uint8Array[];
    for (const [one, other] of [
      [second, first],
      [first, first],
    ]) {
      const finalScriptWitness = [none, one, other, script] as Uint8Array[];
      finished.updateInput(0, { finalScriptWitness }, true);
      expect(() => psbts.readSignatures(psbt, write(finished))).toThrow(
        'has an invalid signature for input 0',
      );
    }
  });

  it('takes the signatures of a copy in version 2 (BIP-370)', () => {
    const { psbts, psbt, txid } = buildSend('wpkh');
    const copy = Buffer.from(open(signAll('wpkh', psbt)).toPSBT(2)).toString('base64');
    expect(psbts.finalize(psbts.addSignatures(psbt, psbts.readSignatures(psbt, copy))).txid).toBe(txid);
  });

  it('refuses a taproot signature by another key', () => {
    const { psbts, psbt } = buildSend('tr');
    const copy = open(psbt);
    copy.updateInput(0, { tapKeySig: schnorr.sign(Buffer.alloc(32, 1), Buffer.alloc(32, 2)) }, true);
    expect(() => psbts.readSignatures(psbt, write(copy))).toThrow('has an invalid signature for input 0');
  });
});

describe('maxPsbtInputs', () => {
  it('bounds the keys to derive and the signatures to verify', () => {
    expect([1, 3, 4, 15, 20].map(maxPsbtInputs)).toEqual([50, 50, 37, 10, 7]);
    expect(openAccount('wsh(sortedmulti)').psbts.maxInputs).toBe(maxPsbtInputs(3));
    expect(openAccount('wpkh').psbts.maxInputs).toBe(maxPsbtInputs(1));
  });
});

describe('addPrevious', () => {
  it('adds the transactions that created the inputs, and leaves out others', () => {
    const { psbts, script } = openAccount('wpkh');
    const outputs = [{ amount: 100_000n, script: Buffer.from(script(0, 3), 'hex') }];
    const created = RawTx.encode({
      version: 2,
      segwitFlag: false,
      inputs: [{ txid: Buffer.alloc(32, 4), index: 0, finalScriptSig: Buffer.alloc(0), sequence: 1 }],
      outputs,
      witnesses: undefined,
      lockTime: 0,
    });
    const txid = Transaction.fromRaw(created, { allowUnknownInputs: true, allowUnknownOutputs: true }).id;
    const own = { ref: { txid, index: 0 }, amount: 100_000n, branch: 0 as const, index: 3 };
    const other = input(6, 100_000n);
    const { psbt } = psbts.build({ inputs: [own, other], outputs: [payee(190_000n)] });
    const raw = Buffer.from(created).toString('hex');
    const added = psbts.addPrevious(
      psbt,
      new Map([
        [txid, raw],
        [other.ref.txid, raw],
      ]),
    );
    const transaction = open(added);
    const inputs = [transaction.getInput(0), transaction.getInput(1)];
    const byTxid = new Map(inputs.map((one) => [Buffer.from(one.txid ?? []).toString('hex'), one]));
    expect(byTxid.get(txid)?.nonWitnessUtxo?.outputs[0]?.amount).toBe(100_000n);
    expect(byTxid.get(other.ref.txid)?.nonWitnessUtxo).toBeUndefined();
    const { type } = OutScript.decode(byTxid.get(txid)?.witnessUtxo?.script ?? new Uint8Array());
    expect(type).toBe('wpkh');
    const signed = signBy(added, masters[0] as HDKey);
    expect(psbts.readSignatures(added, signed)).toHaveLength(2);
    // Signers may leave them out of what they return.
    expect(psbts.readSignatures(added, signBy(psbt, masters[0] as HDKey))).toHaveLength(2);
  });
});
