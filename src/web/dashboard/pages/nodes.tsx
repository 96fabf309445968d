import { useApi } from '../api/hooks.ts';
import type { Chain, Readiness } from '../api/types.ts';
import { Badge, Card, CoinName, PageTitle, Shown } from '../ui/basics.tsx';
import { words } from '../ui/format.ts';
import { Table } from '../ui/table.tsx';

const number = new Intl.NumberFormat();

function tone(state: string): 'good' | 'busy' | 'bad' {
  if (state === 'following') return 'good';
  return state === 'starting' || state === 'catching_up' ? 'busy' : 'bad';
}

export function NodesPage() {
  const ready = useApi<Readiness>('/readyz', {}, { refetchMs: 5_000 });
  return (
    <>
      <PageTitle title="Nodes" lead="What the daemon sees of each chain." />
      <Shown of={ready}>
        {({ ready: isReady, database, chains }) => (
          <Card
            title={isReady ? 'Everything is followed to its tip' : 'Something needs a look'}
            actions={<Badge tone={database === 'ok' ? 'good' : 'bad'}>Database {database}</Badge>}
          >
            <Table<Chain>
              label="Chains"
              rows={Object.values(chains)}
              keyOf={({ coin, mode }) => `${coin}-${mode}`}
              columns={[
                { title: 'Coin', cell: ({ coin }) => <CoinName coin={coin} /> },
                { title: 'Network', cell: ({ mode }) => words(mode) },
                { title: 'State', cell: ({ state }) => <Badge tone={tone(state)}>{words(state)}</Badge> },
                {
                  title: 'Height',
                  end: true,
                  cell: ({ height }) => (
                    <span className="money">{height === null ? '–' : number.format(height)}</span>
                  ),
                },
                {
                  title: 'Behind',
                  end: true,
                  cell: ({ lag }) => <span className="money">{lag === null ? '–' : number.format(lag)}</span>,
                },
                { title: 'Node', wide: true, cell: ({ nodeVersion }) => nodeVersion ?? '–' },
                {
                  title: 'Last error',
                  wide: true,
                  cell: ({ lastError }) => <span className="text-stop">{lastError ?? ''}</span>,
                },
              ]}
            />
          </Card>
        )}
      </Shown>
    </>
  );
}
