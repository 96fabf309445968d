import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signature as asSignature,
  signTransactionMessageWithSigners,
  address as asAddress,
} from '@solana/kit';
import {
  Connection,
  Keypair,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { RPC_TARGETS, type RpcTarget } from '../../_helpers/svm/targets.ts';

const SOL = 1_000_000_000;
const FEE = 5_000;

/** The system program's transfer of one SOL, as bytes. */
function transferInstruction(from: Address, to: Address) {
  const { data } = SystemProgram.transfer({
    fromPubkey: new PublicKey(from),
    toPubkey: new PublicKey(to),
    lamports: SOL,
  });
  return {
    programAddress: asAddress(SystemProgram.programId.toBase58()),
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data: new Uint8Array(data),
  };
}

for (const kind of RPC_TARGETS) {
  describe(`${kind.name} serves`, () => {
    let target: RpcTarget;
    let connection: Connection;

    beforeAll(async () => {
      target = await kind.start();
      connection = new Connection(target.url, {
        commitment: 'confirmed',
        disableRetryOnRateLimit: true,
        wsEndpoint: target.wsUrl,
      });
    });
    afterAll(async () => {
      await target.stop();
    });

    /** Waits by polling, as the daemon does: no socket needed. */
    async function reaches(signature: string, commitment: 'confirmed' | 'finalized') {
      return eventually(
        `${signature} is ${commitment}`,
        async () =>
          (await connection.getSignatureStatus(signature, { searchTransactionHistory: true })).value,
        (status) => status?.confirmationStatus === commitment || status?.confirmationStatus === 'finalized',
        30_000,
      );
    }

    async function funded(amount = 10 * SOL): Promise<Keypair> {
      const owner = Keypair.generate();
      await reaches(await connection.requestAirdrop(owner.publicKey, amount), 'confirmed');
      return owner;
    }

    async function transfer(from: Keypair, to: PublicKey, amount: number): Promise<Transaction> {
      const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
      const transaction = new Transaction({ feePayer: from.publicKey, blockhash, lastValidBlockHeight });
      transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: amount }));
      transaction.sign(from);
      return transaction;
    }

    describe('clients with @solana/web3.js', () => {
      it('can make a transfer and read its fee, balances and history of both accounts', async () => {
        const [from, to] = [await funded(), Keypair.generate().publicKey];
        const sent = await connection.sendRawTransaction((await transfer(from, to, SOL)).serialize());
        await reaches(sent, 'confirmed');
        expect(await connection.getBalance(to)).toBe(SOL);
        expect(await connection.getBalance(from.publicKey)).toBe(9 * SOL - FEE);
        const found = await connection.getTransaction(sent, { maxSupportedTransactionVersion: 0 });
        expect(found?.meta).toMatchObject({ err: null, fee: FEE });
        const keys = found!.transaction.message.getAccountKeys().staticAccountKeys.map(String);
        const at = keys.indexOf(to.toBase58());
        expect([found?.meta?.preBalances[at], found?.meta?.postBalances[at]]).toEqual([0, SOL]);
        for (const address of [from.publicKey, to]) {
          const [newest] = await connection.getSignaturesForAddress(address);
          expect(newest).toMatchObject({ signature: sent, err: null, slot: found!.slot });
        }
      });

      it('can read blocks that name their parents, and their signatures', async () => {
        const from = await funded();
        const sent = await connection.sendRawTransaction(
          (await transfer(from, Keypair.generate().publicKey, SOL)).serialize(),
        );
        const status = await reaches(sent, 'confirmed');
        const block = await connection.getBlock(status!.slot, {
          transactionDetails: 'full',
          maxSupportedTransactionVersion: 0,
          rewards: false,
        });
        expect(block?.transactions.map(({ transaction }) => transaction.signatures[0])).toContain(sent);
        const parent = await connection.getBlock(block!.parentSlot, {
          transactionDetails: 'none',
          rewards: false,
        });
        expect(parent?.blockhash).toBe(block?.previousBlockhash);
        expect(await connection.getBlocks(block!.parentSlot, status!.slot)).toEqual([
          block!.parentSlot,
          status!.slot,
        ]);
      });

      it('can read balances by commitment from confirmed to finalized', async () => {
        const from = await funded();
        const to = Keypair.generate().publicKey;
        const sent = await connection.sendRawTransaction((await transfer(from, to, SOL)).serialize());
        await reaches(sent, 'confirmed');
        const slots = await Promise.all([connection.getSlot('confirmed'), connection.getSlot('finalized')]);
        expect(slots[0]).toBeGreaterThan(slots[1]);
        await reaches(sent, 'finalized');
        expect(await connection.getBalance(to, 'finalized')).toBe(SOL);
      });

      it('can read failed transactions with their fee and error', async () => {
        const from = await funded(SOL);
        const broke = await transfer(from, Keypair.generate().publicKey, 5 * SOL);
        await expect(connection.sendRawTransaction(broke.serialize())).rejects.toBeInstanceOf(
          SendTransactionError,
        );
        const sent = await connection.sendRawTransaction(broke.serialize(), { skipPreflight: true });
        const status = await reaches(sent, 'confirmed');
        expect(status?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
        expect(await connection.getBalance(from.publicKey)).toBe(SOL - FEE);
      });

      it('cannot leave an account below the rent minimum', async () => {
        const minimum = await connection.getMinimumBalanceForRentExemption(0);
        const from = await funded();
        const low = await transfer(from, Keypair.generate().publicKey, minimum - 1);
        await expect(connection.sendRawTransaction(low.serialize())).rejects.toThrow();
        const enough = await transfer(from, Keypair.generate().publicKey, minimum);
        await reaches(await connection.sendRawTransaction(enough.serialize()), 'confirmed');
      });

      it('are refused with an unknown blockhash or a wrong signature', async () => {
        const from = await funded();
        const stale = await transfer(from, Keypair.generate().publicKey, SOL);
        stale.recentBlockhash = Keypair.generate().publicKey.toBase58();
        stale.sign(from);
        await expect(connection.sendRawTransaction(stale.serialize())).rejects.toThrow(/Blockhash not found/);
        const forged = (await transfer(from, Keypair.generate().publicKey, SOL)).serialize();
        forged[10] = (forged[10] ?? 0) ^ 1;
        await expect(connection.sendRawTransaction(forged)).rejects.toThrow(/signature verification/i);
      });

      it('can simulate a transaction without changing anything', async () => {
        const from = await funded();
        const { blockhash } = await connection.getLatestBlockhash();
        const message = new TransactionMessage({
          payerKey: from.publicKey,
          recentBlockhash: blockhash,
          instructions: [
            SystemProgram.transfer({
              fromPubkey: from.publicKey,
              toPubkey: Keypair.generate().publicKey,
              lamports: SOL,
            }),
          ],
        }).compileToV0Message();
        const transaction = new VersionedTransaction(message);
        transaction.sign([from]);
        const { value } = await connection.simulateTransaction(transaction);
        expect(value.err).toBeNull();
        expect(value.unitsConsumed).toBe(150);
        expect(await connection.getBalance(from.publicKey)).toBe(10 * SOL);
      });
    });

    describe('subscriptions with @solana/web3.js', () => {
      it('deliver changes of an account, a signature, its logs and slots', async () => {
        const [from, to] = [await funded(), Keypair.generate().publicKey];
        const account = new Promise<number>((resolve) => {
          const id = connection.onAccountChange(to, ({ lamports }) => {
            void connection.removeAccountChangeListener(id);
            resolve(lamports);
          });
        });
        const logs = new Promise<string>((resolve) => {
          const id = connection.onLogs(to, (entry) => {
            void connection.removeOnLogsListener(id);
            resolve(entry.signature);
          });
        });
        // Subscribed last over the same socket: once a slot is told, the node listens to the others, too.
        const slot = new Promise<number>((resolve) => {
          const id = connection.onSlotChange((info) => {
            void connection.removeSlotChangeListener(id);
            resolve(info.slot);
          });
        });
        expect(await slot).toBeGreaterThan(0);
        const transaction = await transfer(from, to, SOL);
        const sent = await connection.sendRawTransaction(transaction.serialize());
        const signature = new Promise<unknown>((resolve) => {
          connection.onSignature(sent, (result) => resolve(result.err), 'finalized');
        });
        expect(await account).toBe(SOL);
        expect(await logs).toBe(sent);
        expect(await signature).toBeNull();
      });
    });

    describe('clients with @solana/kit', () => {
      it('can subscribe to an account and to slots', async () => {
        const subscriptions = createSolanaRpcSubscriptions(target.wsUrl);
        const stop = new AbortController();
        const { signal: abortSignal } = stop;
        const to = Keypair.generate().publicKey;
        const accounts = await subscriptions
          .accountNotifications(asAddress(to.toBase58()), { commitment: 'confirmed', encoding: 'base64' })
          .subscribe({ abortSignal });
        const slots = await subscriptions.slotNotifications().subscribe({ abortSignal });
        // Kit drops what arrives before the first call of next().
        const change = accounts[Symbol.asyncIterator]().next();
        const tick = slots[Symbol.asyncIterator]().next();
        await connection.requestAirdrop(to, SOL);
        expect((await change).value?.value.lamports).toBe(BigInt(SOL));
        const next = (await tick).value;
        expect(next?.slot).toBeGreaterThan(next?.parent ?? 0n);
        stop.abort();
      });

      it('can make a version 0 transfer and read its status and history', async () => {
        const rpc = createSolanaRpc(target.url);
        const signer = await createKeyPairSignerFromBytes((await funded()).secretKey);
        const destination = asAddress(Keypair.generate().publicKey.toBase58());
        const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
        const message = pipe(
          createTransactionMessage({ version: 0 }),
          (draft) => setTransactionMessageFeePayerSigner(signer, draft),
          (draft) => setTransactionMessageLifetimeUsingBlockhash(latest, draft),
          (draft) =>
            appendTransactionMessageInstruction(transferInstruction(signer.address, destination), draft),
        );
        const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
        const sent = await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
        await reaches(sent, 'confirmed');
        const { value: balance } = await rpc.getBalance(destination, { commitment: 'confirmed' }).send();
        expect(balance).toBe(BigInt(SOL));
        const options = { maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const;
        const found = await rpc.getTransaction(asSignature(sent), { ...options, encoding: 'json' }).send();
        expect(found?.version).toBe(0);
        expect(found?.meta?.fee).toBe(BigInt(FEE));
        const history = await rpc.getSignaturesForAddress(destination, { commitment: 'confirmed' }).send();
        expect(history.map(({ signature }) => signature)).toEqual([sent]);
        const { value: accounts } = await rpc
          .getMultipleAccounts([destination], { commitment: 'confirmed', encoding: 'base64' })
          .send();
        expect(accounts[0]?.lamports).toBe(BigInt(SOL));
      });
    });
  });
}
