import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createRpc } from '../../../../src/chains/solana/rpc/rpc.ts';

const U64_MAX = 2n ** 64n - 1n;
const ACCOUNT = {
  data: '["","base64"]',
  executable: 'false',
  owner: `"${'1'.repeat(32)}"`,
  rentEpoch: `${U64_MAX}`,
  space: '0',
};

/** What is read of an answer with this result. */
async function read(result: string): Promise<unknown> {
  const post = async () => ({ status: 200, text: `{"jsonrpc":"2.0","result":${result},"id":1}` });
  const transport = {
    post,
    postForBytes: () => Promise.reject(new Error('not asked for')),
    close: async () => undefined,
  };
  return createRpc(transport).call('getMultipleAccounts', [], z.unknown());
}

function account(fields: Record<string, string>, space: string): string {
  return `{${Object.entries(fields)
    .map(([name, value]) => `"${name}":${space}${value}`)
    .join()}}`;
}

it('reads lamports of any size exactly, whatever stands beside them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.bigInt({ min: 0n, max: U64_MAX }), { maxLength: 4 }),
      fc.constantFrom('', ' '),
      fc.boolean(),
      async (amounts, space, isFirst) => {
        const texts = amounts.map((amount) => {
          const lamports = { lamports: String(amount) };
          return account(isFirst ? { ...lamports, ...ACCOUNT } : { ...ACCOUNT, ...lamports }, space);
        });
        const accounts = z.array(z.object({ lamports: z.union([z.int(), z.bigint()]).transform(BigInt) }));
        const found = accounts.parse(await read(`[${texts.join()}]`));
        expect(found.map(({ lamports }) => lamports)).toEqual(amounts);
      },
    ),
  );
});

it('reads long numbers wherever one may stand, and leaves digits in texts alone', async () => {
  const long = 9_007_199_254_740_993n;
  expect(await read(`${long}`)).toBe(long);
  expect(await read(`[-${long},1]`)).toEqual([-long, 1]);
  expect(await read(`[1,${long}]`)).toEqual([1, long]);
  expect(await read(`["${long}","a ${long}"]`)).toEqual([`${long}`, `a ${long}`]);
});

it('takes nothing for an amount that has more digits than any', async () => {
  const lamports = z.union([z.int(), z.bigint()]);
  expect(lamports.safeParse(await read(`${U64_MAX}`)).data).toBe(U64_MAX);
  expect(lamports.safeParse(await read(`1${U64_MAX}`)).success).toBe(false);
});
