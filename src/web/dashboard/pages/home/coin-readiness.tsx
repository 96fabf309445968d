import type { Data } from '../../contract/contract.ts';
import { locale } from '../../i18n/language.ts';
import { t } from '../../i18n/t.ts';
import { Badge, CoinName, type Tone } from '../../ui/basics.tsx';

export type CoinReadiness = Data<'GET', '/merchant/setup'>['coins'][number];
type State = CoinReadiness['state'];

const TONES: Record<State, Tone> = {
  ready: 'good',
  not_configured: 'idle',
  unreachable: 'bad',
  syncing: 'busy',
  wrong_network: 'bad',
  failing: 'bad',
  unknown: 'warn',
};

const number = new Intl.NumberFormat(locale);

/** The text of the badge, and of the line below it. */
const WORDS: Record<State, (one: CoinReadiness) => [badge: string, line: string]> = {
  ready: () => [t('Ready'), t('The node is in sync with its network.')],
  not_configured: () => [t('No node'), t('This server has no node for it. It is not offered to payers.')],
  unreachable: () => [
    t('Not reachable'),
    t('The node does not answer. Payments are seen only once it does.'),
  ],
  syncing: (one) => [t('Syncing'), progress(one)],
  wrong_network: () => [
    t('Wrong network'),
    t('The node serves another network than this server. It is not offered to payers.'),
  ],
  failing: () => [t('Failing'), t('The node answers, but its chain cannot be followed. Nodes says why.')],
  unknown: () => [t('Not known yet'), t('The server has just started and has not heard of the node yet.')],
};

function progress({ height, lag }: CoinReadiness): string {
  if (height === null) return t('The node is still syncing.');
  const at = number.format(height);
  if (lag === null || lag === 0) return t('The node is still syncing, at block {at}.', { at });
  return t('The node is still syncing, at block {at} with {lag} to go.', { at, lag: number.format(lag) });
}

/** Whether each coin can accept real money, and if not, why. */
export function CoinReadinessList({ coins }: { coins: readonly CoinReadiness[] }) {
  return (
    <ul className="grid gap-2" aria-label={t('Readiness of each coin')}>
      {coins.map((one) => {
        const [badge, line] = WORDS[one.state](one);
        return (
          <li key={one.coin} className="rounded-xl border border-line px-3 py-2">
            <p className="flex items-center justify-between gap-3">
              <CoinName coin={one.coin} />
              <Badge tone={TONES[one.state]}>{badge}</Badge>
            </p>
            <p className="mt-1 text-sm text-soft">{line}</p>
          </li>
        );
      })}
    </ul>
  );
}
