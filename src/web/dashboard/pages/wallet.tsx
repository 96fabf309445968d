import { useState } from 'react';
import { useApi, useShopId } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import { COINS, type Coin, type Pagination, type PerCoin, type WalletTransaction } from '../api/types.ts';
import { Badge, Button, Card, CoinName, CopyLine, Empty, PageTitle, Shown } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Select } from '../ui/form.tsx';
import { coins, short, when, words } from '../ui/format.ts';
import { Qr } from '../ui/qr.tsx';
import { Pager, Table } from '../ui/table.tsx';
import { SendForm } from './send.tsx';

type Open = { kind: 'send' | 'receive'; coin: Coin } | null;

export function WalletPage() {
  const merchantId = useShopId();
  const [open, setOpen] = useState<Open>(null);
  const balances = useApi<PerCoin>('/merchant/wallet/balances', { merchantId }, { refetchMs: 5_000 });
  const addresses = useApi<PerCoin>('/merchant/wallet/addresses', { merchantId });
  return (
    <>
      <PageTitle title="Wallet" lead="What one send of each coin could spend now: confirmed money only." />
      <Shown of={balances} rows={2}>
        {(data) => (
          <ul className="mb-6 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
            {COINS.map((coin) => (
              <li key={coin} className="grid gap-3 rounded-2xl border border-line bg-card p-4">
                <CoinName coin={coin} />
                <b className="money text-xl tracking-tight break-all">{coins(data[coin])}</b>
                <span className="flex gap-2">
                  <Button
                    className="flex-1"
                    look="primary"
                    aria-label={`Send ${coin}`}
                    onClick={() => setOpen({ kind: 'send', coin })}
                  >
                    Send
                  </Button>
                  <Button
                    className="flex-1"
                    aria-label={`Receive ${coin}`}
                    onClick={() => setOpen({ kind: 'receive', coin })}
                  >
                    Receive
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <History merchantId={merchantId} />
      <Dialog
        title={open?.kind === 'receive' ? `Receive ${open.coin}` : `Send ${open?.coin ?? ''}`}
        open={open !== null}
        onClose={() => setOpen(null)}
      >
        {open?.kind === 'send' && (
          <SendForm
            coin={open.coin}
            balance={balances.data?.[open.coin] ?? '0'}
            onClose={() => setOpen(null)}
          />
        )}
        {open?.kind === 'receive' && (
          <Shown of={addresses}>
            {(data) => (
              <div className="grid gap-4">
                <Qr text={data[open.coin]} label={`QR code of your ${open.coin} address`} />
                <CopyLine text={data[open.coin]} label="address" />
                <p className="text-sm text-soft">
                  Your own address, to fill the wallet. Payers get an address of their own for each payment.
                </p>
              </div>
            )}
          </Shown>
        )}
      </Dialog>
    </>
  );
}

function History({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const { coin, direction, page } = search;
  const list = useApi<{ transactions: WalletTransaction[]; pagination: Pagination }>(
    '/merchant/wallet/transactions',
    { merchantId, coin, direction, page, limit: 15 },
    { refetchMs: 5_000 },
  );
  return (
    <Card title="History">
      <div className="mb-4 grid max-w-md grid-cols-2 gap-3">
        <Select label="Coin" value={coin ?? ''} onChange={(event) => change({ coin: event.target.value })}>
          <option value="">Any</option>
          {COINS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
        <Select
          label="Direction"
          value={direction ?? ''}
          onChange={(event) => change({ direction: event.target.value })}
        >
          <option value="">Both</option>
          <option value="in">Received</option>
          <option value="out">Sent</option>
        </Select>
      </div>
      <Shown of={list}>
        {({ transactions, pagination }) => (
          <>
            {transactions.length === 0 ? <Empty title="No money moved yet" /> : <Moves rows={transactions} />}
            <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
          </>
        )}
      </Shown>
    </Card>
  );
}

function Moves({ rows }: { rows: readonly WalletTransaction[] }) {
  return (
    <Table
      label="History"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Coin', cell: ({ coin }) => <CoinName coin={coin} /> },
        { title: 'When', wide: true, cell: ({ createdAt }) => when(createdAt) },
        {
          title: 'Transaction',
          wide: true,
          cell: ({ txHash }) => <code title={txHash}>{short(txHash)}</code>,
        },
        {
          title: 'State',
          cell: ({ status, error }) => (
            <span title={error ?? undefined}>
              <Badge tone={tone(status)}>{words(status)}</Badge>
            </span>
          ),
        },
        {
          title: 'Amount',
          end: true,
          cell: ({ direction, amount, fee }) => (
            <span className="money">
              <b className={direction === 'in' ? 'text-accent' : ''}>
                {direction === 'in' ? '+' : '−'}
                {coins(amount)}
              </b>
              {fee !== null && <small className="block text-soft">fee {coins(fee)}</small>}
            </span>
          ),
        },
      ]}
    />
  );
}

function tone(status: string): 'good' | 'bad' | 'busy' {
  if (status === 'confirmed') return 'good';
  return status === 'failed' || status === 'gone' ? 'bad' : 'busy';
}
