import type { Coin, Payment } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { Badge, Card, Copy, Empty, type Tone } from '../../ui/basics.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { formatCoins, short } from '../../format/format.ts';
import { Table } from '../../ui/table.tsx';
import { words } from '../../ui/labels.ts';
import { Time } from '../../ui/time.tsx';

type Transaction = Payment['transactions'][number];
type Refund = Payment['refunds'][number];

/** The incoming transactions of a payment, and its refunds. */
export function PaymentTransactions({ payment }: { payment: Payment }) {
  const { transactions, refunds, status } = payment;
  const canBePaid = status === 'pending' || status === 'underpaid';
  return (
    <>
      <Card title={t('Transactions')}>
        {transactions.length === 0 ? (
          <Empty title={canBePaid ? t('No money yet') : t('No money came')}>
            {canBePaid
              ? t('Payments show here within seconds, confirmed or not.')
              : t('Payments that still arrive show here.')}
          </Empty>
        ) : (
          <Arrived of={payment} rows={transactions} />
        )}
      </Card>
      {refunds.length > 0 && (
        <Card title={t('Refunds')}>
          <Returned of={payment} rows={refunds} />
        </Card>
      )}
    </>
  );
}

function Hash({ of: payment, coin, text }: { of: Payment; coin: Coin; text: string }) {
  return (
    <span className="inline-flex flex-col items-start gap-x-2 gap-y-1 md:flex-row md:items-center">
      <ChainLink kind="tx" coin={coin} text={text} sandbox={payment.sandbox}>
        <code title={text} className="whitespace-nowrap">
          {short(text, 6, 6)}
        </code>
      </ChainLink>
      <Copy isSmall text={text} label={t('Copy transaction id')} />
    </span>
  );
}

/** Longest amount with its unit that stays on one line on a phone, characters. */
const UNBROKEN = 18;

function Amount({ of: amount, coin }: { of: string; coin: Coin }) {
  const text = `${formatCoins(amount)}\u00A0${coin}`;
  const wraps = text.length > UNBROKEN ? 'wrap-anywhere md:whitespace-nowrap' : 'whitespace-nowrap';
  return <b className={`money text-xs md:text-sm ${wraps}`}>{text}</b>;
}

const TONES: Record<Transaction['status'], Tone> = {
  confirmed: 'good',
  unconfirmed: 'busy',
  reversed: 'bad',
};

function Arrived({ of: payment, rows }: { of: Payment; rows: readonly Transaction[] }) {
  return (
    <Table
      label={t('Transactions')}
      rows={rows}
      keyOf={({ txid, index }) => `${txid}:${index}`}
      columns={[
        {
          title: t('Transaction'),
          cell: (row) => (
            <>
              <Hash of={payment} coin={row.coin} text={row.txid} />
              <span className="mt-1 block md:hidden">
                <TransactionState of={row} />
              </span>
            </>
          ),
        },
        { title: t('Seen'), wide: true, cell: ({ firstSeenAt }) => <Time at={firstSeenAt} isShort /> },
        { title: t('State'), wide: true, cell: (row) => <TransactionState of={row} /> },
        {
          title: t('Amount'),
          end: true,
          cell: ({ amount, coin }) => <Amount of={amount} coin={coin} />,
        },
      ]}
    />
  );
}

function TransactionState({ of: { status, confirmations, late, paymentId } }: { of: Transaction }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={TONES[status]}>
        {status === 'confirmed' ? t('{confirmations} conf.', { confirmations }) : words(status)}
      </Badge>
      {late && <Badge tone="warn">{t('Late')}</Badge>}
      {paymentId !== undefined && <Badge tone="idle">{t('By another address')}</Badge>}
    </span>
  );
}

const REFUND_TONES: Record<Refund['status'], Tone> = {
  pending_approval: 'warn',
  rejected: 'bad',
  expired: 'bad',
  preparing: 'busy',
  awaiting_signature: 'warn',
  queued: 'busy',
  signed: 'busy',
  broadcast: 'busy',
  confirmed: 'good',
  failed: 'bad',
};

function Returned({ of: payment, rows }: { of: Payment; rows: readonly Refund[] }) {
  return (
    <Table
      label={t('Refunds')}
      rows={rows}
      keyOf={({ sendId }) => sendId}
      columns={[
        {
          title: t('Transaction'),
          cell: (refund) => (
            <span className="grid justify-items-start gap-1">
              {refund.txHash !== null && <Hash of={payment} coin={refund.coin} text={refund.txHash} />}
              <RefundDestination of={refund} sandbox={payment.sandbox} />
              <span className="md:hidden">
                <RefundState of={refund} />
              </span>
            </span>
          ),
        },
        { title: t('When'), wide: true, cell: ({ createdAt }) => <Time at={createdAt} isShort /> },
        { title: t('State'), wide: true, cell: (refund) => <RefundState of={refund} /> },
        {
          title: t('Amount'),
          end: true,
          cell: ({ amount, coin }) => <Amount of={amount} coin={coin} />,
        },
      ]}
    />
  );
}

function RefundDestination({ of: { coin, destination }, sandbox }: { of: Refund; sandbox: boolean }) {
  return (
    <small className="break-all text-soft">
      {parts('To {address}', {
        address: (
          <ChainLink kind="address" coin={coin} text={destination} sandbox={sandbox}>
            <code title={destination}>{short(destination, 6, 6)}</code>
          </ChainLink>
        ),
      })}
    </small>
  );
}

function RefundState({ of: { status, error } }: { of: Refund }) {
  return (
    <>
      <Badge tone={REFUND_TONES[status]}>{words(status)}</Badge>
      {error !== null && <small className="mt-1 block text-stop">{error}</small>}
    </>
  );
}
