import type { Payment } from '../api/types.ts';
import { Badge, Card, CoinName, Copy, Empty, type Tone } from '../ui/basics.tsx';
import { coins, short, whenShort, words } from '../ui/format.ts';
import { Table } from '../ui/table.tsx';

type Transaction = Payment['transactions'][number];
type Refund = Payment['refunds'][number];

/** What arrived for a payment, and what went back. */
export function PaymentTransactions({ payment }: { payment: Payment }) {
  const { transactions, refunds } = payment;
  return (
    <>
      <Card title="Transactions">
        {transactions.length === 0 ? (
          <Empty title="No money yet">What arrives shows here within seconds, confirmed or not.</Empty>
        ) : (
          <Arrived rows={transactions} />
        )}
      </Card>
      {refunds.length > 0 && (
        <Card title="Refunds">
          <Returned rows={refunds} />
        </Card>
      )}
    </>
  );
}

function Hash({ text }: { text: string }) {
  return (
    <span className="inline-flex flex-col items-start gap-x-2 gap-y-1 md:flex-row md:items-center">
      <code title={text} className="whitespace-nowrap">
        {short(text, 6, 6)}
      </code>
      <Copy isSmall text={text} label="Copy transaction id" />
    </span>
  );
}

const TONES: Record<Transaction['status'], Tone> = {
  confirmed: 'good',
  unconfirmed: 'busy',
  reversed: 'bad',
};

function Arrived({ rows }: { rows: readonly Transaction[] }) {
  return (
    <Table
      label="Transactions"
      rows={rows}
      keyOf={({ txid, index }) => `${txid}:${index}`}
      columns={[
        { title: 'Transaction', cell: ({ txid }) => <Hash text={txid} /> },
        { title: 'Seen', wide: true, cell: ({ firstSeenAt }) => whenShort(firstSeenAt) },
        {
          title: 'State',
          cell: ({ status, confirmations, late }) => (
            <span className="inline-flex flex-wrap gap-1">
              <Badge tone={TONES[status]}>
                {status === 'confirmed' ? `${confirmations} conf.` : words(status)}
              </Badge>
              {late && <Badge tone="warn">Late</Badge>}
            </span>
          ),
        },
        {
          title: 'Amount',
          end: true,
          cell: ({ amount, coin }) => (
            <span className="grid justify-items-end">
              <b className="money wrap-anywhere md:whitespace-nowrap">{coins(amount)}</b>
              <CoinName coin={coin} />
            </span>
          ),
        },
      ]}
    />
  );
}

const REFUND_TONES: Record<Refund['status'], Tone> = {
  signed: 'busy',
  broadcast: 'busy',
  confirmed: 'good',
  failed: 'bad',
};

function Returned({ rows }: { rows: readonly Refund[] }) {
  return (
    <Table
      label="Refunds"
      rows={rows}
      keyOf={({ sendId }) => sendId}
      columns={[
        { title: 'Transaction', cell: ({ txHash }) => <Hash text={txHash} /> },
        { title: 'When', wide: true, cell: ({ createdAt }) => whenShort(createdAt) },
        {
          title: 'State',
          cell: ({ status, error }) => (
            <>
              <Badge tone={REFUND_TONES[status]}>{words(status)}</Badge>
              {error !== null && <small className="mt-1 block text-stop">{error}</small>}
            </>
          ),
        },
        {
          title: 'Amount',
          end: true,
          cell: ({ amount, coin }) => (
            <span className="grid justify-items-end">
              <b className="money wrap-anywhere md:whitespace-nowrap">{coins(amount)}</b>
              <CoinName coin={coin} />
            </span>
          ),
        },
      ]}
    />
  );
}
