import { p2ms, p2pkh, p2sh, p2tr, p2wpkh, p2wsh } from '@scure/btc-signer';
import type { Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';
import { assertNever } from '../domain/errors.ts';
import { childPublicKey, publicBranch } from './child-key.ts';
import { descriptorChecksum } from './descriptor-checksum.ts';
import { type ExtendedKey, looksLikeExtendedKey, readExtendedKey } from './extended-key.ts';

/** Completes "descriptor …"; it never repeats the text, which may contain a private key. */
export type Problem = { readonly problem: string };

type SingleScript = 'pkh' | 'wpkh' | 'sh(wpkh)' | 'tr';
type MultiScript = 'wsh' | 'sh(wsh)';

/** The master key that a key is derived from, and the path to it. */
interface KeyOrigin {
  readonly fingerprint: number;
  /** Hardened steps include the offset of BIP-32. */
  readonly path: readonly number[];
}

/** A key of a descriptor: `[origin]xpub/steps/*`. */
export interface KeyExpression {
  readonly key: ExtendedKey;
  readonly origin: KeyOrigin | null;
  /** Unhardened; one of them may have alternatives (BIP-389). */
  readonly steps: readonly (readonly number[])[];
}

/** One key, or a multisig of several. */
export type Script =
  | { readonly kind: SingleScript; readonly key: KeyExpression }
  | {
      readonly kind: MultiScript;
      readonly isSorted: boolean;
      readonly needed: number;
      readonly keys: readonly KeyExpression[];
    };

const LENGTH_MAX = 3_000;
const KEYS_MAX = 15;
const HARDENED = 2 ** 31;
const SUPPORTED =
  'must be an extended public key, or a descriptor pkh(…), wpkh(…), sh(wpkh(…)), tr(KEY), wsh(sortedmulti(…)) or ' +
  'sh(wsh(sortedmulti(…))), or with multi';
const PRIVATE = 'contains a private key: it must never leave its wallet, so make a new wallet';

/**
 * Reads an account's extended public key, whose prefix tells the script, or an output descriptor with its checksum
 * (BIP-380, BIP-389).
 * @param keySteps the branch below a bare extended key
 */
export function readScript(
  coin: UtxoCoin,
  network: Network,
  text: string,
  keySteps: KeyExpression['steps'] = [[0]],
): Script | Problem {
  if (text.length === 0 || text.length > LENGTH_MAX) return { problem: SUPPORTED };
  if (hasWif(text)) return { problem: PRIVATE };
  if (!looksLikeExtendedKey(text)) return readDescriptor(coin, network, text);
  const key = readExtendedKey(coin, network, text);
  if ('problem' in key) return key;
  if (key.script !== 'pkh' && coin.networks[network].hrp === null) return noSegwit(coin);
  return { kind: key.script, key: { key, origin: null, steps: keySteps } };
}

/** A single private key as wallets export it: base58 of 51 or 52 characters. */
function hasWif(text: string): boolean {
  return /(?:^|[(,\]])[5KL69cTQ][1-9A-HJ-NP-Za-km-z]{50,51}(?=$|[),/])/.test(text);
}

function readDescriptor(coin: UtxoCoin, network: Network, text: string): Script | Problem {
  const [body = '', checksum, ...more] = text.split('#');
  if (!/^[a-z]+\(.*\)$/.test(body)) return { problem: SUPPORTED };
  if (/[(,\]](?:[xyztuv]prv|[LMt]tpv)/.test(body)) return { problem: PRIVATE };
  if (checksum === undefined || more.length > 0)
    return { problem: 'lacks its checksum: copy it with the # and the eight characters after it' };
  if (!isChecksum(body, checksum)) return { problem: 'is mistyped: its checksum is wrong' };
  const read = (key: string): KeyExpression | Problem => readKey(coin, network, key);
  const single = /^(?:(pkh|wpkh|tr)\(([^(),]+)\)|sh\(wpkh\(([^(),]+)\)\))$/.exec(body);
  const [, outer, plain, nested] = single ?? [];
  const script =
    single === null
      ? readMultisig(body, read)
      : toSingle((outer as 'pkh' | 'wpkh' | 'tr' | undefined) ?? 'sh(wpkh)', read(plain ?? nested ?? ''));
  const needsSegwit = script !== null && 'kind' in script && script.kind !== 'pkh';
  if (needsSegwit && coin.networks[network].hrp === null) return noSegwit(coin);
  return script ?? { problem: SUPPORTED };
}

function isChecksum(body: string, checksum: string): boolean {
  try {
    return descriptorChecksum(body) === checksum;
  } catch {
    return false;
  }
}

function noSegwit({ name }: UtxoCoin): Problem {
  return { problem: `has addresses that ${name} does not have` };
}

function toSingle(kind: SingleScript, key: KeyExpression | Problem): Script | Problem {
  return 'problem' in key ? key : { kind, key };
}

/** Null for another form. */
function readMultisig(body: string, read: (key: string) => KeyExpression | Problem): Script | Problem | null {
  const inner = /^sh\((wsh\(.*\))\)$/.exec(body)?.[1];
  const [, kind, needed, list] =
    /^wsh\((sortedmulti|multi)\((\d{1,2})((?:,[^(),]+)+)\)\)$/.exec(inner ?? body) ?? [];
  if (kind === undefined || needed === undefined || list === undefined) return null;
  const keys: KeyExpression[] = [];
  for (const text of list.slice(1).split(',')) {
    const key = read(text);
    if ('problem' in key) return key;
    keys.push(key);
  }
  const most = Number(needed);
  if (most < 1 || most > keys.length || keys.length > KEYS_MAX)
    return { problem: `must have 1 to ${KEYS_MAX} keys, and need no more signatures than it has keys` };
  const texts = new Map(keys.map((key) => [key, formatKey(key, FIRST)]));
  for (const branch of [0, 1] as const) {
    const branchTexts = keys.map((key) => formatKey(key, { branch, withOrigin: false }));
    if (new Set(branchTexts).size < keys.length) return { problem: 'contains the same key twice' };
  }
  const isSorted = kind === 'sortedmulti';
  // Their order makes no difference to the addresses.
  const ordered = isSorted
    ? keys.toSorted((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
    : keys;
  return { kind: inner === undefined ? 'wsh' : 'sh(wsh)', isSorted, needed: most, keys: ordered };
}

function readKey(coin: UtxoCoin, network: Network, text: string): KeyExpression | Problem {
  const [, origin, extended, steps] =
    /^(?:\[([0-9a-fA-F]{8}(?:\/\d+['h]?)*)\])?([1-9A-HJ-NP-Za-km-z]+)((?:\/(?:\d+|<\d+(?:;\d+)+>))*)\/\*$/.exec(
      text,
    ) ?? [];
  if (extended === undefined || steps === undefined)
    return { problem: 'must have keys of the form [origin]xpub/0/*, with unhardened steps and * at the end' };
  if ((steps.match(/</g) ?? []).length > 1)
    return { problem: 'has more than one list of alternative branches' };
  const path = steps
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll(/[<>]/g, '').split(';').map(Number));
  const read = origin === undefined ? null : readOrigin(origin);
  if (![...path.flat(), ...(read?.path ?? []).map((step) => step % HARDENED)].every(isIndex))
    return { problem: 'has a step above 2147483647 in its path' };
  const key = readExtendedKey(coin, network, extended);
  return 'problem' in key ? key : { key, origin: read, steps: path };
}

function readOrigin(text: string): KeyOrigin {
  const [fingerprint = '', ...steps] = text.split('/');
  return {
    fingerprint: Number.parseInt(fingerprint, 16),
    path: steps.map((step) => (/\d$/.test(step) ? Number(step) : Number(step.slice(0, -1)) + HARDENED)),
  };
}

function isIndex(step: number): boolean {
  return Number.isSafeInteger(step) && step >= 0 && step < HARDENED;
}

/** Which of alternative branches is meant: the first one receives, the second one gets change (BIP-389). */
export type Branch = 0 | 1;

/** How keys are written: with their origins or not, and one branch or all alternatives. */
interface KeyFormat {
  readonly branch: Branch | null;
  readonly withOrigin: boolean;
}

const FIRST: KeyFormat = { branch: 0, withOrigin: false };

function formatKey({ key, origin, steps }: KeyExpression, { branch, withOrigin }: KeyFormat): string {
  const path = steps.map((step) =>
    step.length === 1 ? `${step[0]}` : branch === null ? `<${step.join(';')}>` : `${step[branch]}`,
  );
  const from = withOrigin && origin !== null ? `[${formatOrigin(origin)}]` : '';
  return `${from}${[key.text, ...path].join('/')}/*`;
}

function formatOrigin({ fingerprint, path }: KeyOrigin): string {
  const steps = path.map((step) => (step >= HARDENED ? `${step - HARDENED}h` : `${step}`));
  return [fingerprint.toString(16).padStart(8, '0'), ...steps].join('/');
}

/** Writes the descriptor with its checksum. */
export function formatScript(script: Script, format: KeyFormat): string {
  const body = formatBody(script, format);
  return `${body}#${descriptorChecksum(body)}`;
}

function formatBody(script: Script, format: KeyFormat): string {
  if ('keys' in script) {
    const keys = script.keys.map((key) => formatKey(key, format));
    const wsh = `wsh(${script.isSorted ? 'sortedmulti' : 'multi'}(${[script.needed, ...keys].join(',')}))`;
    return script.kind === 'wsh' ? wsh : `sh(${wsh})`;
  }
  const key = formatKey(script.key, format);
  return script.kind === 'sh(wpkh)' ? `sh(wpkh(${key}))` : `${script.kind}(${key})`;
}

/** A key at an index of a branch. */
export interface DerivedKey {
  readonly publicKey: Uint8Array;
  readonly origin: KeyOrigin;
}

/** An output script, with what a signer needs to spend it. */
interface PaymentScript {
  readonly address?: string;
  readonly script: Uint8Array;
  readonly redeemScript?: Uint8Array;
  readonly witnessScript?: Uint8Array;
}

/** One branch of a script: derives the script and the keys of each index. */
export interface ScriptBranch {
  payTo(index: number): PaymentScript;
  keys(index: number): readonly DerivedKey[];
}

export function openBranch(coin: UtxoCoin, network: Network, script: Script, branch: Branch): ScriptBranch {
  const { hrp, pubKeyHashVersions, scriptHashVersions } = coin.networks[network];
  const params = {
    bech32: hrp ?? '',
    pubKeyHash: pubKeyHashVersions[0],
    scriptHash: scriptHashVersions[0],
    wif: 0,
  };
  const opened = ('keys' in script ? script.keys : [script.key]).map((key) => openKey(key, branch));
  return {
    payTo: (index) =>
      buildOutput(
        script,
        opened.map(({ at }) => at(index)),
        params,
      ),
    keys: (index) =>
      opened.map(({ at, origin }) => ({
        publicKey: at(index),
        origin: { ...origin, path: [...origin.path, index] },
      })),
  };
}

function openKey({ key, origin, steps }: KeyExpression, branch: Branch) {
  const path = steps.map((step) => (step.length === 1 ? step[0] : step[branch]) ?? 0);
  const node = path.reduce((parent, step) => parent.deriveChild(step), key.node);
  const above = publicBranch(node);
  // Without an origin, the given key is the master that a signer can know (BIP-174).
  const root = origin ?? { fingerprint: key.node.fingerprint, path: [] };
  return {
    at: (index: number): Uint8Array => childPublicKey(above, index, true),
    origin: { fingerprint: root.fingerprint, path: [...root.path, ...path] },
  };
}

function buildOutput(
  script: Script,
  keys: readonly Uint8Array[],
  params: { bech32: string; pubKeyHash: number; scriptHash: number; wif: number },
): PaymentScript {
  if ('keys' in script) {
    const ordered = script.isSorted ? keys.toSorted((a, b) => Buffer.compare(a, b)) : keys;
    const wsh = p2wsh(p2ms(script.needed, [...ordered]), params);
    return script.kind === 'wsh' ? wsh : p2sh(wsh, params);
  }
  const [key] = keys;
  if (key === undefined) throw new Error('a script needs a key');
  switch (script.kind) {
    case 'pkh':
      return p2pkh(key, params);
    case 'wpkh':
      return p2wpkh(key, params);
    case 'sh(wpkh)':
      return p2sh(p2wpkh(key, params), params);
    case 'tr':
      return p2tr(key.subarray(1), undefined, params);
    default:
      return assertNever(script);
  }
}

/** @throws when the script has no address on this network */
export function addressAt(branch: ScriptBranch, index: number): string {
  const { address } = branch.payTo(index);
  if (address === undefined) throw new Error('the script has no address');
  return address;
}
