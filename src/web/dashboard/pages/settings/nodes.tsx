import { locale } from '../../i18n/language.ts';
import { useApi } from '../../api/hooks.ts';
import type { Chain } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Card, CoinName, Empty, PageTitle, Loaded, type Tone } from '../../ui/basics.tsx';
import { when } from '../../format/format.ts';
import { words } from '../../ui/labels.ts';

const number = new Intl.NumberFormat(locale);
const LIVE_MS = 5_000;

const TONES: Record<Chain['state'], Tone> = {
  starting: 'busy',
  following: 'good',
  catching_up: 'busy',
  behind: 'warn',
  wrong_chain: 'bad',
  error: 'bad',
};

export function NodesPage() {
  const ready = useApi('/readyz', undefined, { refetchMs: LIVE_MS });
  return (
    <>
      <PageTitle title={t('Nodes')} lead={t('The state of each chain, updated every few seconds.')} />
      <Loaded of={ready}>
        {({ ready: isReady, database, chains }) => (
          <>
            <Card
              title={isReady ? t('All nodes are in sync') : t('A node needs attention')}
              actions={
                database !== undefined && (
                  <Badge tone={database === 'ok' ? 'good' : 'bad'}>
                    {t('Database {database}', { database })}
                  </Badge>
                )
              }
            >
              {chains === undefined && (
                <p className="text-sm text-soft">
                  {t(
                    'Only the operator of this server sees the state of each node, at the address in TILLD_ADMIN_LISTEN.',
                  )}
                </p>
              )}
              {chains !== undefined && Object.keys(chains).length === 0 && (
                <Empty title={t('No chain is configured')}>
                  {t('Name a node of each coin in the configuration.')}
                </Empty>
              )}
              <ul className="grid grid-cols-1 gap-3 md:grid-cols-2">
                {Object.entries(chains ?? {}).map(([name, chain]) => (
                  <li key={name} className="min-w-0 rounded-xl border border-line p-4">
                    <Node chain={chain} />
                  </li>
                ))}
              </ul>
            </Card>
            {chains !== undefined && <HowToConnect chains={Object.values(chains)} />}
          </>
        )}
      </Loaded>
    </>
  );
}

/** How to connect a node, for the coins that have none. */
function HowToConnect({ chains }: { chains: readonly Chain[] }) {
  const connected = new Set(chains.flatMap(({ coin, mode }) => (mode === 'sandbox' ? [] : [coin])));
  const missing = COINS.filter((coin) => !connected.has(coin));
  if (missing.length === 0) return null;
  return (
    <Card title={t('Connect a node')} className="mt-6">
      <p className="text-sm text-soft">
        {t(
          'To accept real money, set the address of your node and restart this server. The file docs/nodes.md of your release explains each node.',
        )}
      </p>
      <ul className="mt-3 grid gap-2 text-sm">
        {missing.map((coin) => (
          <li key={coin} className="flex flex-wrap items-center gap-x-3">
            <CoinName coin={coin} />
            <code className="text-soft">{`TILLD_${coin}_RPC_URL`}</code>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Node({ chain }: { chain: Chain }) {
  const { height, lag, lastError, lastSeenAt, nodeVersion, warnings, alarms } = chain;
  const facts = [
    [t('Height'), height === null ? '–' : number.format(height)],
    [t('Blocks behind'), lag === null ? '–' : number.format(lag)],
    [t('Seen'), typeof lastSeenAt === 'number' ? when(new Date(lastSeenAt).toISOString()) : '–'],
    [t('Node'), nodeVersion ?? '–'],
  ] as const;
  return (
    <>
      <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <CoinName coin={chain.coin} />
        <span className="text-sm text-soft">{chain.mode === 'sandbox' ? t('Sandbox') : t('Live')}</span>
        <span className="ms-auto">
          <Badge tone={TONES[chain.state]}>{words(chain.state)}</Badge>
        </span>
      </p>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="money font-medium break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {lastError !== null && (
        <p className="mt-3 rounded-lg bg-stop-soft px-3 py-2 text-sm break-words text-stop">{lastError}</p>
      )}
      {alarms.map((alarm) => (
        <p key={alarm} className="mt-3 rounded-lg bg-stop-soft px-3 py-2 text-sm font-medium text-stop">
          {t('Alarm: {alarm}', { alarm: words(alarm) })}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning} className="mt-3 rounded-lg bg-warn-soft px-3 py-2 text-sm break-words text-warn">
          {warning}
        </p>
      ))}
    </>
  );
}
