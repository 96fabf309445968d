import type { Coin } from '../api/types.ts';
import { COIN_CLASSES, COINS } from '../coins.ts';
import { sumOf } from './decimal.ts';
import { dayName } from './format.ts';

/** What a payment was paid in; `several`: in more than one coin. */
export type Share = Coin | 'several';
export const SHARES: readonly Share[] = [...COINS, 'several'];

export interface Day {
  readonly date: string;
  /** Exact amounts in the currency of the chart. */
  readonly amounts: Partial<Record<Share, string>>;
}

const fillOf = (share: Share): string => (share === 'several' ? 'fill-soft' : COIN_CLASSES[share].bar);
const HEIGHT = 180;
const WIDTH = 960;
/** So many days have a label each; of more, every second, third and so on. */
const MOST_LABELS = 15;

function total({ amounts }: Day): string {
  return sumOf(SHARES.map((share) => amounts[share] ?? '0'));
}

/** Where the chart is wider than the screen, the newest days come first. */
function toNewest(box: HTMLElement | null): void {
  if (box !== null) box.scrollLeft = box.scrollWidth;
}

/** Stacked bars, one per day; the same numbers stand in a table for those who do not see it. */
export function VolumeChart(props: { days: readonly Day[]; format: (amount: string) => string }) {
  const { days, format } = props;
  // Heights are for the eye; what is written is exact.
  const most = Math.max(...days.map((day) => Number(total(day))), 1e-9);
  const step = WIDTH / Math.max(days.length, 1);
  const every = Math.ceil(days.length / MOST_LABELS);
  const shown = SHARES.filter((share) => days.some(({ amounts }) => amounts[share] !== undefined));
  return (
    <figure>
      <div ref={toNewest} className="overflow-x-auto" tabIndex={0} role="region" aria-label="Volume chart">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT + 26}`}
          className="block w-full min-w-[40rem]"
          aria-hidden="true"
        >
          {[0.5, 1].map((part) => (
            <line
              key={part}
              x1="0"
              x2={WIDTH}
              y1={HEIGHT - part * (HEIGHT - 8)}
              y2={HEIGHT - part * (HEIGHT - 8)}
              strokeDasharray="3 5"
              className="stroke-line"
            />
          ))}
          <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="stroke-line" />
          {days.map((day, index) => (
            <Bar
              key={day.date}
              day={day}
              title={`${dayName(day.date)}: ${format(total(day))}`}
              x={index * step}
              step={step}
              most={most}
              isLabelled={(days.length - 1 - index) % every === 0}
            />
          ))}
        </svg>
      </div>
      <div className="sr-only">
        <table>
          <caption>Volume by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {shown.map((share) => (
                <th key={share} scope="col">
                  {share}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.date}>
                <th scope="row">{dayName(day.date)}</th>
                {shown.map((share) => (
                  <td key={share}>{format(day.amounts[share] ?? '0')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

interface BarProps {
  readonly day: Day;
  readonly title: string;
  readonly x: number;
  readonly step: number;
  readonly most: number;
  readonly isLabelled: boolean;
}

function Bar({ day, title, x, step, most, isLabelled }: BarProps) {
  const width = Math.min(36, step * 0.62);
  const left = x + (step - width) / 2;
  const heights = SHARES.map((share) => (Number(day.amounts[share] ?? 0) / most) * (HEIGHT - 8));
  const isEmpty = heights.every((height) => height === 0);
  // In the middle of a narrow bar at the edge, its name would be cut.
  const isLast = step < 40 && x + step > WIDTH - 1;
  return (
    <g>
      <title>{title}</title>
      <rect x={x} y={0} width={step} height={HEIGHT} className="fill-transparent" />
      {isEmpty && <rect x={left} y={HEIGHT - 2} width={width} height={2} className="fill-line" />}
      {SHARES.map((share, index) => {
        const height = heights[index] ?? 0;
        const below = heights.slice(0, index).reduce((sum, other) => sum + other, 0);
        if (height === 0) return null;
        return (
          <rect
            key={share}
            x={left}
            y={HEIGHT - below - height}
            width={width}
            height={Math.max(1, height - 1)}
            rx={Math.min(3, width / 4)}
            className={fillOf(share)}
          />
        );
      })}
      {isLabelled && (
        <text
          x={isLast ? WIDTH : x + step / 2}
          y={HEIGHT + 18}
          textAnchor={isLast ? 'end' : 'middle'}
          className="fill-soft text-[12px]"
        >
          {dayName(day.date, true)}
        </text>
      )}
    </g>
  );
}
