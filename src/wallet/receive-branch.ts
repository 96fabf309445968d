import { p2ms, p2pkh, p2sh, p2tr, p2wpkh, p2wsh } from '@scure/btc-signer';
import { UTXO_COINS, isUtxoCoin, type Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';
import { assertNever } from '../domain/errors.ts';
import { addressNetwork, type ReadReceiveBranch, type ReceiveBranch } from '../domain/keys.ts';
import { descriptorChecksum } from './descriptors.ts';
import { type ExtendedKey, looksLikeExtendedKey, readExtendedKey } from './extended-key.ts';

type Problem = { readonly problem: string };
type SingleScript = 'pkh' | 'wpkh' | 'sh(wpkh)' | 'tr';

/** A key of a descriptor with the unhardened path to its branch. */
interface BranchKey {
  /** Canonical: without origin, one branch, and `*` at the end. */
  readonly text: string;
  at(index: number): Uint8Array;
}

/** One key, or a multisig of several. */
type Script =
  | { readonly kind: SingleScript; readonly key: BranchKey }
  | { readonly kind: 'sortedmulti' | 'multi'; readonly needed: number; readonly keys: readonly BranchKey[] };

const LENGTH_MAX = 3_000;
const KEYS_MAX = 15;
const MAX_INDEX = 2 ** 31;
const SUPPORTED =
  'must be an extended public key, or a descriptor pkh(…), wpkh(…), sh(wpkh(…)), tr(KEY), wsh(sortedmulti(…)) or wsh(multi(…))';

/**
 * Reads where another wallet receives: an account's extended public key, whose prefix tells the script, or an
 * output descriptor with its checksum.
 */
export function receiveBranchReader(liveNetwork: Network): ReadReceiveBranch {
  return ({ coin, mode }, text) => {
    if (!isUtxoCoin(coin)) return { problem: `is of no use for ${coin}: enter an address` };
    return readReceiveBranch(UTXO_COINS[coin], addressNetwork(mode, liveNetwork), text.trim());
  };
}

export function readReceiveBranch(coin: UtxoCoin, network: Network, text: string): ReceiveBranch | Problem {
  if (text.length === 0 || text.length > LENGTH_MAX) return { problem: SUPPORTED };
  const script = looksLikeExtendedKey(text)
    ? readAccountKey(coin, network, text)
    : readDescriptor(coin, network, text);
  if ('problem' in script) return script;
  const bare = formatScript(script);
  const address = addressAt(coin, network, script);
  try {
    address(0);
  } catch {
    return { problem: 'has no addresses on this network' };
  }
  return { descriptor: `${bare}#${descriptorChecksum(bare)}`, address };
}

/** BIP-44: receiving addresses are in branch 0 of an account. */
function readAccountKey(coin: UtxoCoin, network: Network, text: string): Script | Problem {
  const key = readExtendedKey(coin, network, text);
  if ('problem' in key) return key;
  if (key.script !== 'pkh' && coin.networks[network].hrp === null) return noSegwit(coin);
  return { kind: key.script, key: branchKey(key, [0]) };
}

function readDescriptor(coin: UtxoCoin, network: Network, text: string): Script | Problem {
  const [body = '', checksum, ...more] = text.split('#');
  if (!/^[a-z]+\(.*\)$/.test(body)) return { problem: SUPPORTED };
  if (/[(,\]](?:[xyztuv]prv|[LMt]tpv)/.test(body)) {
    return { problem: 'contains a private key: it must never leave its wallet, so make a new wallet' };
  }
  if (checksum === undefined || more.length > 0)
    return { problem: 'lacks its checksum: copy it with the # and the eight characters after it' };
  if (!isChecksum(body, checksum)) return { problem: 'is mistyped: its checksum is wrong' };
  const read = (key: string): BranchKey | Problem => readBranchKey(coin, network, key);
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

function toSingle(kind: SingleScript, key: BranchKey | Problem): Script | Problem {
  return 'problem' in key ? key : { kind, key };
}

/** Null for another form. */
function readMultisig(body: string, read: (key: string) => BranchKey | Problem): Script | Problem | null {
  const [, kind, needed, list] = /^wsh\((sortedmulti|multi)\((\d{1,2})((?:,[^(),]+)+)\)\)$/.exec(body) ?? [];
  if (kind === undefined || needed === undefined || list === undefined) return null;
  const keys: BranchKey[] = [];
  for (const text of list.slice(1).split(',')) {
    const key = read(text);
    if ('problem' in key) return key;
    keys.push(key);
  }
  const most = Number(needed);
  if (most < 1 || most > keys.length || keys.length > KEYS_MAX)
    return { problem: `must have 1 to ${KEYS_MAX} keys, and need no more signatures than it has keys` };
  if (new Set(keys.map(({ text }) => text)).size < keys.length)
    return { problem: 'contains the same key twice' };
  const isSorted = kind === 'sortedmulti';
  // Their order makes no difference to the addresses.
  const ordered = isSorted ? keys.toSorted((a, b) => (a.text < b.text ? -1 : 1)) : keys;
  return { kind: isSorted ? 'sortedmulti' : 'multi', needed: most, keys: ordered };
}

/** `[origin]xpub/path/*`; of alternative branches (BIP-389) the first, which receives. */
function readBranchKey(coin: UtxoCoin, network: Network, text: string): BranchKey | Problem {
  const [, extended, steps] =
    /^(?:\[[0-9a-fA-F]{8}(?:\/\d+['h]?)*\])?([1-9A-HJ-NP-Za-km-z]+)((?:\/(?:\d+|<\d+(?:;\d+)+>))*)\/\*$/.exec(
      text,
    ) ?? [];
  if (extended === undefined || steps === undefined)
    return { problem: 'must have keys of the form [origin]xpub/0/*, with unhardened steps and * at the end' };
  const alternatives = steps.match(/<[^>]+>/g) ?? [];
  if (alternatives.length > 1) return { problem: 'has more than one list of alternative branches' };
  const path = steps
    .split('/')
    .slice(1)
    .map((step) => Number(step.replace(/^<(\d+);.*$/, '$1')));
  if (path.some((step) => !Number.isSafeInteger(step) || step >= MAX_INDEX))
    return { problem: 'has a step above 2147483647 in its path' };
  const key = readExtendedKey(coin, network, extended);
  return 'problem' in key ? key : branchKey(key, path);
}

function branchKey({ node, text }: ExtendedKey, path: readonly number[]): BranchKey {
  const branch = path.reduce((parent, step) => parent.deriveChild(step), node);
  return {
    text: `${[text, ...path].join('/')}/*`,
    at: (index) => {
      const { publicKey } = branch.deriveChild(index);
      if (publicKey === null) throw new Error('the derived node has no public key');
      return publicKey;
    },
  };
}

function formatScript(script: Script): string {
  if ('keys' in script)
    return `wsh(${script.kind}(${[script.needed, ...script.keys.map(({ text }) => text)].join(',')}))`;
  return script.kind === 'sh(wpkh)' ? `sh(wpkh(${script.key.text}))` : `${script.kind}(${script.key.text})`;
}

function addressAt(coin: UtxoCoin, network: Network, script: Script): (index: number) => string {
  const { hrp, pubKeyHashVersions, scriptHashVersions } = coin.networks[network];
  const params = {
    bech32: hrp ?? '',
    pubKeyHash: pubKeyHashVersions[0],
    scriptHash: scriptHashVersions[0],
    wif: 0,
  };
  const payTo = (index: number): { readonly address?: string } => {
    if ('keys' in script) {
      const keys = script.keys.map((key) => key.at(index));
      const isSorted = script.kind === 'sortedmulti';
      const ordered = isSorted ? keys.toSorted((a, b) => Buffer.compare(a, b)) : keys;
      return p2wsh(p2ms(script.needed, ordered), params);
    }
    const key = script.key.at(index);
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
  };
  return (index) => {
    const { address } = payTo(index);
    if (address === undefined) throw new Error('the script has no address');
    return address;
  };
}
