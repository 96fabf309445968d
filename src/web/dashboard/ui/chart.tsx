import { COINS, type Coin } from '../api/types.ts';
import { CoinName } from './basics.tsx';

export interface Day {
  readonly label: string;
  readonly values: Record<Coin, number>;
}

const FILLS: Record<Coin, string> = {
  BTC: 'fill-[var(--btc)]',
  ETH: 'fill-[var(--eth)]',
  LTC: 'fill-[var(--ltc)]',
  SOL: 'fill-[var(--sol)]',
};
const HEIGHT = 160;
const STEP = 68;
const BAR = 34;

function total({ values }: Day): number {
  return COINS.reduce((sum, coin) => sum + values[coin], 0);
}

/** Where the chart is wider than the screen, the newest days come first. */
function toNewest(box: HTMLElement | null): void {
  if (box !== null) box.scrollLeft = box.scrollWidth;
}

/** Stacked bars, one per day; the same numbers stand in a table for those who do not see it. */
export function VolumeChart(props: { days: readonly Day[]; format: (value: number) => string }) {
  const { days, format } = props;
  const most = Math.max(...days.map(total), 1e-9);
  return (
    <figure>
      <div ref={toNewest} className="overflow-x-auto" tabIndex={0} role="region" aria-label="Volume chart">
        <svg
          viewBox={`0 0 ${days.length * STEP} ${HEIGHT + 26}`}
          className="block w-full min-w-[44rem]"
          aria-hidden="true"
        >
          <line x1="0" x2={days.length * STEP} y1={HEIGHT} y2={HEIGHT} className="stroke-line" />
          {days.map((day, index) => (
            <Bar key={day.label} day={day} x={index * STEP + (STEP - BAR) / 2} most={most} />
          ))}
        </svg>
      </div>
      <figcaption className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2 text-xs">
        {COINS.map((coin) => (
          <CoinName key={coin} coin={coin} />
        ))}
        <span className="ml-auto text-soft">Busiest day {format(most)}</span>
      </figcaption>
      <table className="sr-only">
        <caption>Volume by day</caption>
        <tbody>
          {days.map((day) => (
            <tr key={day.label}>
              <th scope="row">{day.label}</th>
              <td>{format(total(day))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function Bar(props: { day: Day; x: number; most: number }) {
  const { day, x, most } = props;
  const scale = (value: number): number => (value / most) * (HEIGHT - 8);
  const parts = COINS.map((coin, index) => {
    const below = COINS.slice(0, index).reduce((sum, other) => sum + day.values[other], 0);
    return { coin, height: scale(day.values[coin]), top: HEIGHT - scale(below) - scale(day.values[coin]) };
  });
  return (
    <g>
      {total(day) === 0 && <rect x={x} y={HEIGHT - 2} width={BAR} height={2} className="fill-line" />}
      {parts.map(
        ({ coin, height, top }) =>
          height > 0 && (
            <rect
              key={coin}
              x={x}
              y={top}
              width={BAR}
              height={Math.max(1, height - 1)}
              rx="3"
              className={FILLS[coin]}
            />
          ),
      )}
      <text x={x + BAR / 2} y={HEIGHT + 18} textAnchor="middle" className="fill-soft text-[11px]">
        {day.label}
      </text>
    </g>
  );
}
