import { Link } from '@tanstack/react-router';
import type { QueryOf } from '../../contract/contract.ts';
import { useApi, useShopId, useTimeZone } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import { walletCsv } from '../../api/sheets.ts';
import type { WalletTransaction } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { parts, plural, t } from '../../i18n/t.ts';
import { Badge, Button, Card, CoinName, Copy, Empty, LINK, Loaded } from '../../ui/basics.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { plainAmount } from '../../format/decimal.ts';
import { ExportCsv } from '../../ui/export-csv.tsx';
import { Field, SearchField, Select } from '../../ui/form.tsx';
import { formatCoins, fiat, short } from '../../format/format.ts';
import { Pager, Table } from '../../ui/table.tsx';
import { words } from '../../ui/labels.ts';
import { Time } from '../../ui/time.tsx';

const FILTERS = ['search', 'coin', 'direction', 'startDate', 'endDate'] as const;

/** Incoming and outgoing transactions, newest first. */
export function History({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const timeZone = useTimeZone();
  const { viewed: mode } = useMode();
  const query: QueryOf<'GET', '/merchant/wallet/transactions'> = {
    ...Object.fromEntries(FILTERS.map((name) => [name, search[name]])),
    search: search['search'] === undefined ? undefined : plainAmount(search['search']),
    timeZone,
    merchantId,
    mode,
  };
  const list = useApi(
    '/merchant/wallet/transactions',
    { ...query, page: search['page'], limit: 15 },
    { refetchMs: 5_000 },
  );
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <Card
      title={t('History')}
      actions={<ExportCsv name="wallet-history.csv" csv={(onProgress) => walletCsv(query, onProgress)} />}
    >
      <Filters search={search} timeZone={timeZone} onChange={change} />
      <Loaded of={list}>
        {({ transactions, pagination }) => (
          <>
            {transactions.length === 0 ? (
              <Empty title={isFiltered ? t('Nothing matches') : t('No money moved yet')}>
                {isFiltered ? (
                  <Button
                    onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
                  >
                    {t('Clear the filters')}
                  </Button>
                ) : (
                  t('Payments, money sent to your own addresses, and what you send show here.')
                )}
              </Empty>
            ) : (
              <Moves rows={transactions} sandbox={mode !== 'live'} />
            )}
            {isFiltered && transactions.length > 0 && (
              <p role="status" className="mt-3 text-xs text-soft">
                {plural(pagination.total, 'One entry matches', '{count} entries match')}
              </p>
            )}
            <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Filters(props: {
  search: Readonly<Record<string, string | undefined>>;
  timeZone: string;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const { search, timeZone, onChange } = props;
  return (
    <div role="search" className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <div className="col-span-2 lg:col-span-4">
        <SearchField
          label={t('Search')}
          placeholder={t('Transaction, address, order or amount')}
          hint={t('The beginning of a transaction, address or amount, or a whole order id')}
          value={search['search'] ?? ''}
          onSearch={(text) => onChange({ search: text })}
        />
      </div>
      <Select
        label={t('Coin')}
        value={search['coin'] ?? ''}
        onChange={(event) => onChange({ coin: event.target.value })}
      >
        <option value="">{t('Any')}</option>
        {COINS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      <Select
        label={t('Direction')}
        value={search['direction'] ?? ''}
        onChange={(event) => onChange({ direction: event.target.value })}
      >
        <option value="">{t('Both')}</option>
        <option value="in">{t('Received')}</option>
        <option value="out">{t('Sent')}</option>
      </Select>
      {(['startDate', 'endDate'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'startDate' ? t('From') : t('Until')}
          type="date"
          hint={t('In {timeZone}', { timeZone: timeZone.replaceAll('_', ' ') })}
          value={search[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      ))}
    </div>
  );
}

/** The payment that the money belongs to, else the other address. */
function Purpose({ of: row, sandbox }: { of: WalletTransaction; sandbox: boolean }) {
  const shopId = useShopId();
  const { paymentId, direction, coin, address, outputs } = row;
  if (outputs !== null) return t('to {count} recipients', { count: outputs.length });
  if (paymentId === null) {
    const shown = (
      <code title={address} className="md:whitespace-nowrap">
        {short(address, 6, 6)}
      </code>
    );
    return (
      <ChainLink kind="address" coin={coin} text={address} sandbox={sandbox}>
        {direction === 'out' ? parts('to {address}', { address: shown }) : shown}
      </ChainLink>
    );
  }
  return (
    <Link to="/shop/$shopId/payments/$paymentId" params={{ shopId, paymentId }} className={LINK}>
      {direction === 'out' ? t('Refund') : t('Payment')}
    </Link>
  );
}

function State({ of: row }: { of: WalletTransaction }) {
  const { status, error, parts: gathering } = row;
  return (
    <>
      <Badge tone={tone(status)}>{words(status)}</Badge>
      <RaiseFeeLink of={row} />
      {status === 'preparing' && gathering !== null && (
        <small className="mt-1 block text-soft">
          {t('{confirmed} of {total} steps confirmed', {
            confirmed: String(gathering.confirmed),
            total: String(gathering.total),
          })}
        </small>
      )}
      {error !== null && <small className="mt-1 block text-stop">{error}</small>}
    </>
  );
}

/** To the dialog that raises the fee of a send in no block, or takes its signatures. */
function RaiseFeeLink({ of: { id, coin, direction, status, confirmations } }: { of: WalletTransaction }) {
  const shopId = useShopId();
  const may = usePermission();
  const isUnsigned = status === 'awaiting_signature';
  const waits = direction === 'out' && status === 'broadcast' && confirmations === 0 && coin !== 'SOL';
  if (!(waits || isUnsigned) || !may('wallet:send')) return null;
  return (
    <Link
      to="/shop/$shopId/wallet"
      params={{ shopId }}
      search={(before: object) => ({ ...before, [isUnsigned ? 'sign' : 'raise']: id })}
      className={`${LINK} mt-1 block text-xs`}
    >
      {isUnsigned ? t('Sign') : t('Raise the fee')}
    </Link>
  );
}

function Moves({ rows, sandbox }: { rows: readonly WalletTransaction[]; sandbox: boolean }) {
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
                <Time at={row.createdAt} isShort />
              </small>
              <small className="block md:hidden">
                <Purpose of={row} sandbox={sandbox} />
              </small>
              {row.txHash !== null && (
                <small className="block md:hidden">
                  <ChainLink kind="tx" coin={row.coin} text={row.txHash} sandbox={sandbox}>
                    <code title={row.txHash}>{short(row.txHash, 4, 4)}</code>
                  </ChainLink>
                </small>
              )}
              <small className="mt-1 block md:hidden">
                <State of={row} />
              </small>
            </>
          ),
        },
        {
          title: t('When'),
          wide: true,
          // At least one line each for day and time.
          cell: ({ createdAt }) => <Time at={createdAt} className="inline-block min-w-24" />,
        },
        {
          title: t('Transaction'),
          wide: true,
          cell: ({ coin, txHash }) =>
            txHash !== null && (
              <span className="inline-flex items-center gap-2">
                <ChainLink kind="tx" coin={coin} text={txHash} sandbox={sandbox}>
                  <code title={txHash} className="whitespace-nowrap">
                    {short(txHash, 6, 6)}
                  </code>
                </ChainLink>
                <Copy isSmall text={txHash} label={t('Copy transaction id')} />
              </span>
            ),
        },
        {
          title: t('For'),
          wide: true,
          cell: (row) => <Purpose of={row} sandbox={sandbox} />,
        },
        {
          title: t('State'),
          wide: true,
          cell: (row) => <State of={row} />,
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

/** Longest amount that stays on one line on a phone, characters: 18 decimals fit. */
const UNBROKEN = 22;

function Amount({ of: row }: { of: WalletTransaction }) {
  const { direction, amount, fee, currency, fiatAmount, status } = row;
  const colour = direction === 'in' ? 'text-accent' : '';
  const wraps =
    formatCoins(amount).length > UNBROKEN ? 'wrap-anywhere md:whitespace-nowrap' : 'whitespace-nowrap';
  return (
    <span className={`money text-xs md:text-sm ${wraps}`}>
      <b className={status === 'gone' ? 'text-soft line-through' : colour}>
        {direction === 'in' ? '+' : '−'}
        {formatCoins(amount)}
      </b>
      {currency !== null && fiatAmount !== null && (
        <small className="block text-soft" title={t('Value at the time')}>
          {fiat(fiatAmount, currency)}
        </small>
      )}
      {fee !== null && <small className="block text-soft">{t('fee {fee}', { fee: formatCoins(fee) })}</small>}
    </span>
  );
}

function tone(status: string): 'good' | 'bad' | 'busy' {
  if (status === 'confirmed') return 'good';
  return status === 'failed' || status === 'gone' ? 'bad' : 'busy';
}
