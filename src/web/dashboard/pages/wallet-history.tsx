import { Link } from '@tanstack/react-router';
import { useApi, useShopId } from '../api/hooks.ts';
import { useMode } from '../api/mode.ts';
import { useFilters } from '../api/search.ts';
import type { WalletTransaction } from '../api/types.ts';
import { COINS } from '../coins.ts';
import { t } from '../i18n/t.ts';
import { Badge, Card, CoinName, Copy, Empty, LINK, Shown } from '../ui/basics.tsx';
import { Select } from '../ui/form.tsx';
import { coins, short, when, whenShort } from '../ui/format.ts';
import { Pager, Table } from '../ui/table.tsx';
import { words } from '../ui/words.ts';

/** Money in and out, newest first. */
export function History({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const { coin, direction, page } = search;
  const { viewed: mode } = useMode();
  const list = useApi(
    '/merchant/wallet/transactions',
    { merchantId, mode, coin, direction, page, limit: 15 },
    { refetchMs: 5_000 },
  );
  return (
    <Card title={t('History')}>
      <div className="mb-4 grid max-w-md grid-cols-2 gap-3">
        <Select
          label={t('Coin')}
          value={coin ?? ''}
          onChange={(event) => change({ coin: event.target.value })}
        >
          <option value="">{t('Any')}</option>
          {COINS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
        <Select
          label={t('Direction')}
          value={direction ?? ''}
          onChange={(event) => change({ direction: event.target.value })}
        >
          <option value="">{t('Both')}</option>
          <option value="in">{t('Received')}</option>
          <option value="out">{t('Sent')}</option>
        </Select>
      </div>
      <Shown of={list}>
        {({ transactions, pagination }) => (
          <>
            {transactions.length === 0 ? (
              <Empty
                title={
                  coin === undefined && direction === undefined
                    ? t('No money moved yet')
                    : t('Nothing matches')
                }
              >
                {t('Payments, money sent to your own addresses, and what you send show here.')}
              </Empty>
            ) : (
              <Moves rows={transactions} />
            )}
            <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
          </>
        )}
      </Shown>
    </Card>
  );
}

/** The payment that money belongs to, else where it went or came to. */
function Purpose({ of: row }: { of: WalletTransaction }) {
  const shopId = useShopId();
  const { paymentId, direction, address } = row;
  if (paymentId === null) {
    const shown = short(address, 6, 6);
    return (
      <code title={address} className="md:whitespace-nowrap">
        {direction === 'out' ? t('to {address}', { address: shown }) : shown}
      </code>
    );
  }
  return (
    <Link to="/shop/$shopId/payments/$paymentId" params={{ shopId, paymentId }} className={LINK}>
      {direction === 'out' ? t('Refund') : t('Payment')}
    </Link>
  );
}

function Moves({ rows }: { rows: readonly WalletTransaction[] }) {
  return (
    <Table
      label={t('History')}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('Coin'),
          cell: (row) => (
            <>
              <CoinName coin={row.coin} />
              <small className="block whitespace-nowrap text-soft md:hidden">
                {whenShort(row.createdAt)}
              </small>
              <small className="block md:hidden">
                <Purpose of={row} />
              </small>
            </>
          ),
        },
        {
          title: t('When'),
          wide: true,
          // Day and time in a line each, at least.
          cell: ({ createdAt }) => <span className="inline-block min-w-24">{when(createdAt)}</span>,
        },
        {
          title: t('Transaction'),
          wide: true,
          cell: ({ txHash }) => (
            <span className="inline-flex items-center gap-2">
              <code title={txHash} className="whitespace-nowrap">
                {short(txHash, 6, 6)}
              </code>
              <Copy isSmall text={txHash} label={t('Copy transaction id')} />
            </span>
          ),
        },
        {
          title: t('For'),
          wide: true,
          cell: (row) => <Purpose of={row} />,
        },
        {
          title: t('State'),
          cell: ({ status, error }) => (
            <>
              <Badge tone={tone(status)}>{words(status)}</Badge>
              {error !== null && <small className="mt-1 block text-stop">{error}</small>}
            </>
          ),
        },
        {
          title: t('Amount'),
          end: true,
          cell: (row) => <Amount of={row} />,
        },
      ]}
    />
  );
}

function Amount({ of: { direction, amount, fee } }: { of: WalletTransaction }) {
  return (
    <span className="money text-xs wrap-anywhere md:text-sm md:whitespace-nowrap">
      <b className={direction === 'in' ? 'text-accent' : ''}>
        {direction === 'in' ? '+' : '−'}
        {coins(amount)}
      </b>
      {fee !== null && <small className="block text-soft">{t('fee {fee}', { fee: coins(fee) })}</small>}
    </span>
  );
}

function tone(status: string): 'good' | 'bad' | 'busy' {
  if (status === 'confirmed') return 'good';
  return status === 'failed' || status === 'gone' ? 'bad' : 'busy';
}
