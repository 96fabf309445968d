/** Databases in use have run these migrations as they are: one that is wrong is mended by another one. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/store/schema/migrate.ts';

/** SHA-256 of each file since 0.1.0. A new migration gets its line when it lands. */
const FROZEN: Readonly<Record<string, string>> = {
  '0100-baseline': '12cf25e716802ed91d987c6ec14e257d9aa96bdb0cb7869183eda9972f143ed4',
  '0107-reversed-payments': '885c754788b2bd8cff9f82b1155f6c08379348ef3494381faaeccd0478fd2839',
  '0114-attention': '81dae8775352037e6d046521e4ad8d573688d9d0dff15cdc62752a7caf4e5e47',
  '0116-wallet-freezes': '2c6e8f00f16c2cb0bb506d93abf910a916a77147ee5efd47dfe56bbc5c8b246d',
  '0117-subscriptions': '4555c466fefe41a413772fb8836662a085dda359937358c68090e801a8794b5d',
  '0119-compressed-events': '9e3dfd4db8d2e6332d667602113d0534102b21749529b5ce282a0e9c0da84693',
  '0120-wallet-limits': 'dd72747680bbdf509b130b7d5ada122944b54d4c759bfd9004652fda991616fc',
  '0121-subscription-events': '61c5b96d3fd1e56d453ec1e52757e859f70dbd883eb87f9d0607f71009c96078',
  '0122-excess-requests': 'cf30a8589340b148c74a3eb3d6061cb70d8dc03498f417162ca17eb09920e38c',
  '0123-subscription-portal': 'e2f1c39a072b289fe27aad32b71de867f74ed3422bb89161df0ca621498c65cc',
  '0124-send-approvals': 'a241541c274863a6aa02aa61e631a905bef7e223d8f59fc880b9d2293a4c24ed',
  '0125-limit-confirmations': '77c2022f5884ab6e65422147ffc55d02f952f3113429c592da3bc08f013b50fa',
  '0126-invoice-problems': 'cb656e43660f02e30d62034aade25d10ed96ce238deb03d7368aceb7c7015dca',
  '0127-smaller-webhook-rows': 'acd00e0fd2d4ff344aab9f08c5ce02db8cfd42aa09b35bce9df95e6d4e28681f',
  '0128-money-after-refund': 'd88405073b7dc0422ca036098ddb4172841f68e7da2cb11e6b09f16e8428dd88',
  '0129-wallet-forwards': '3b45df8073fa5f6d11dc64f54ab0d77abd58ef13de4acd22e4b8e1050b1916a7',
  '0130-payment-notes': 'dedf01ee3e89baf53e595f9d845857ad767438feddf4e0339c92dc502ffa62fa',
  '0131-subscription-mails': '7f39cd315c3a67c6c99fbccb685b0cd1f2c0175234b3f8799012d9807deae53d',
  '0132-shorter-address-index': '4a51b2eb81eec6b0df42453de52bf0920978d976ab0ff3c9721ccb66f1729dfe',
  '0133-receipts': '2a0a768d825c2e3015a9cdaa4701475c609f3229c81cd0fde29d786044e02c43',
  '0134-payments-by-link': '8b0a8147b6d51324b629d48d7e5e1e24eccd4e08f41303d6013d42138a2910e7',
  '0137-send-outputs': '6ebe18ccf2a24ed5646ed9c310c8d88230ab40da4a07336f362dd50d4b2ed0aa',
  '0139-subscription-cancelled-by': '6cd8815be035777aaa8a9a852000c81e036050574ea6246ddfc11722ac24512f',
  '0140-counters': '14d609a3fdb63a7e39b6270440088b202dae508a0191da3851cbb2d9a85addf4',
  '0141-watch-accounts': 'ac3f41ff8db14009463f5e4eca5b1a5a213b4958b9645aa13e4bfa3d236cb076',
  '0144-send-fee-terms': '740a3fd428c9024822a240ee1a7d9d504640fbe798cab99204ca38aaaf53619f',
  '0145-send-psbts': '907af61b9fd324f9ec4e0e38fcb37b93b430ae3f129005401e1f1b479359b627',
  '0146-wallet-labels': '0341981d97ac83956d21d545b03fd3c6b7af6cf76b3ff429ecaf4aba3f1d7122',
  '0147-watch-lists': 'dbecf9d97d9cb6daf4cdacac6f1a4c48749c2b5882f5544c6f26a5e523b530a5',
  '0149-send-psbt-inputs': 'c663674cbe309784801e152281d7a00173fa199289fbe2d36acc55534720427b',
  '0150-send-sources': 'ead6cdd21fe8f410731f2fab69bf9fbd41fc326465cc85fcc08974e389aa082a',
  '0151-listed-chain-time': '703f6531a59b4420a2b98b6017bfdbe07ba0c41a5ea797a143d14273e7667364',
  '0154-address-tips': '5bb36d0314a6b36d1389c17bbb1f1bad14f23490579b181f2b41fd6932dfb0df',
  '0155-proration': '8c5e6d5fa6874c586e94dbaeb62d311425eb6f83815d3fb7a914cddca98f9b66',
};
/** SHA-256 of all files before 0.1.0, in order. */
const PRE_RELEASE = '77d9d88b29b01d3474e7f032e115d35b3a5503ef42377b46d22506b34202e64e';

const sha256 = (...files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
};

it('migrations since 0.1.0 are listed, and unchanged since they were added', () => {
  const files = globSync('src/store/schema/migrations/*.ts').toSorted();
  const hashes = files.map((file) => [basename(file, '.ts'), sha256(file)] as const);
  expect(Object.fromEntries(hashes)).toEqual(FROZEN);
  expect(Object.keys(MIGRATIONS)).toEqual(hashes.map(([name]) => name));
});

it('migrations before 0.1.0 are unchanged', () => {
  const files = globSync('src/store/schema/pre-release/*.ts').toSorted();
  expect(files).toHaveLength(49);
  expect(sha256(...files)).toBe(PRE_RELEASE);
});
