import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import type { Data } from '../../contract/contract.ts';
import { formatCoins, short } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, Empty, Loaded, PageTitle, Problem } from '../../ui/basics.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { Select } from '../../ui/form.tsx';
import { Pager, Table } from '../../ui/table.tsx';
import { MoneyTabs } from './money-tabs.tsx';
import { WalletLabels } from './wallet-labels.tsx';

/** Coins that are held in outputs. */
const OUTPUT_COINS = ['BTC', 'LTC'] as const;
const PAGE_SIZE = 25;

type Output = Data<'GET', '/merchant/wallet/outputs'>['outputs'][number];

const HOLDS: Readonly<Record<NonNullable<Output['hold']>, string>> = {
  frozen: t('Frozen'),
  reserved: t('Reserved by a send'),
  spending: t('Being spent elsewhere'),
  unconfirmed: t('Waits for a block'),
  immature: t('Needs more confirmations'),
  watched: t('On a watched account'),
  dust: t('Worth less than its fee'),
};

/** The unspent outputs of the wallet, and which of them no send may use. */
export function OutputsPage() {
  const shopId = useShopId();
  const [search, change] = useFilters();
  const { viewed: mode } = useMode();
  const coin = OUTPUT_COINS.find((one) => one === search['coin']) ?? 'BTC';
  const page = search['page'] ?? '1';
  const query = { merchantId: shopId, mode, coin, page, limit: PAGE_SIZE };
  const listed = useApi('/merchant/wallet/outputs', query, { refetchMs: 10_000 });
  return (
    <>
      <PageTitle
        title={t('Outputs')}
        lead={t('The unspent outputs of your wallet. No send, refund or consolidation uses a frozen one.')}
        actions={<WalletLabels key={coin} coin={coin} />}
      />
      <MoneyTabs />
      <Card>
        <div className="mb-4 max-w-40">
          <Select label={t('Coin')} value={coin} onChange={({ target }) => change({ coin: target.value })}>
            {OUTPUT_COINS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        </div>
        <Loaded of={listed}>
          {({ outputs, pagination }) => (
            <>
              {outputs.length === 0 ? (
                <Empty title={t('No outputs')}>{t('Each received payment adds one.')}</Empty>
              ) : (
                <Outputs rows={outputs} />
              )}
              <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}

function Outputs({ rows }: { rows: readonly Output[] }) {
  const { viewed: mode } = useMode();
  const sandbox = mode !== 'live';
  return (
    <Table
      label={t('Outputs')}
      rows={rows}
      keyOf={({ txHash, index }) => `${txHash}:${index}`}
      columns={[
        {
          title: t('Address'),
          cell: (row) => (
            <>
              <ChainLink kind="address" coin={row.coin} text={row.address} sandbox={sandbox}>
                <code title={row.address} className="whitespace-nowrap">
                  {short(row.address, 6, 6)}
                </code>
              </ChainLink>
              {row.label !== null && (
                <span dir="auto" className="block max-w-40 truncate text-xs md:max-w-56" title={row.label}>
                  {row.label}
                </span>
              )}
              <span className="mt-1 block md:hidden">
                <Hold of={row} />
              </span>
            </>
          ),
        },
        {
          title: t('Transaction'),
          wide: true,
          cell: ({ coin, txHash, index }) => (
            <ChainLink kind="tx" coin={coin} text={txHash} sandbox={sandbox}>
              <code title={`${txHash}:${index}`} className="whitespace-nowrap">
                {`${short(txHash, 6, 6)}:${index}`}
              </code>
            </ChainLink>
          ),
        },
        { title: t('State'), wide: true, cell: (row) => <Hold of={row} /> },
        {
          title: t('Amount'),
          end: true,
          cell: ({ amount }) => <b className="money text-xs md:text-sm">{formatCoins(amount)}</b>,
        },
        { title: t('Use'), end: true, cell: (row) => <FreezeOutput of={row} /> },
      ]}
    />
  );
}

function Hold({ of: { hold } }: { of: Output }) {
  if (hold === null) return <Badge tone="good">{t('Spendable')}</Badge>;
  return <Badge tone={hold === 'frozen' ? 'bad' : 'busy'}>{HOLDS[hold]}</Badge>;
}

function FreezeOutput({ of: { coin, txHash, index, frozen } }: { of: Output }) {
  const merchantId = useShopId();
  const may = usePermission();
  const { isOther } = useMode();
  const change = useAct(() =>
    api('POST', frozen ? '/merchant/wallet/outputs/unfreeze' : '/merchant/wallet/outputs/freeze', {
      query: { merchantId },
      body: { coin, outputs: [{ txHash, index }] },
    }),
  );
  if (isOther || !may('wallet:send')) return null;
  return (
    <>
      <Button isSmall busy={change.isPending} onClick={() => change.mutate()}>
        {frozen ? t('Unfreeze') : t('Freeze')}
      </Button>
      {change.error !== null && <Problem error={change.error} />}
    </>
  );
}
