import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useShopId } from '../api/hooks.ts';
import type { Coin } from '../api/types.ts';
import { COIN_CLASSES, COINS } from '../coins.ts';
import { t } from '../i18n/t.ts';
import { sumOf } from './decimal.ts';
import { dayName, fiat, fiatCompact } from './format.ts';

/** What a payment was paid in; `several`: in more than one coin. */
export type Share = Coin | 'several';
export const SHARES: readonly Share[] = [...COINS, 'several'];

/** A day, a week or a month of the chart. */
export interface Period {
  readonly first: string;
  readonly last: string;
  /** Exact amounts in the currency of the chart. */
  readonly amounts: Partial<Record<Share, string>>;
}

const fillOf = (share: Share): string => (share === 'several' ? 'fill-soft' : COIN_CLASSES[share].bar);
const HEIGHT = 180;
const WIDTH = 960;
/** Left of the bars, for the numbers of the axis. */
const AXIS = 72;
/** So many periods have a label each; of more, every second, third and so on. */
const MOST_LABELS = 15;

function total({ amounts }: Period): string {
  return sumOf(SHARES.map((share) => amounts[share] ?? '0'));
}

function nameOf({ first, last }: Period): string {
  return first === last
    ? dayName(first)
    : t('{first} to {last}', { first: dayName(first), last: dayName(last) });
}

/** The next of 1, 2, 5, 10, 20, 50 and so on. */
function roundUp(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  const factor = [1, 2, 5].find((one) => one * power >= amount) ?? 10;
  return factor * power;
}

/** Where the chart is wider than the screen, the newest days come first. */
function toNewest(box: HTMLElement | null): void {
  if (box !== null) box.scrollLeft = box.scrollWidth;
}

interface ChartProps {
  readonly periods: readonly Period[];
  readonly currency: string;
}

/** Stacked bars, each a link to its payments; the same numbers stand in a table for those who do not see it. */
export function VolumeChart({ periods, currency }: ChartProps) {
  const [at, setAt] = useState<string | null>(null);
  const pointed = periods.find(({ first }) => first === at);
  // Heights are for the eye; what is written is exact.
  const most = Math.max(...periods.map((period) => Number(total(period))));
  const top = most > 0 ? roundUp(most) : 1;
  const step = (WIDTH - AXIS) / Math.max(periods.length, 1);
  const every = Math.ceil(periods.length / MOST_LABELS);
  return (
    <figure>
      <p aria-hidden="true" className="money min-h-5 text-sm text-soft">
        {pointed === undefined
          ? t('Point at a bar for its numbers; it opens its payments.')
          : told(pointed, currency)}
      </p>
      <div
        ref={toNewest}
        className="overflow-x-auto"
        tabIndex={0}
        role="region"
        aria-label={t('Volume chart')}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT + 26}`}
          className="block w-full min-w-[40rem]"
          onMouseLeave={() => setAt(null)}
        >
          {[0, 0.5, 1].map((part) => (
            <GridLine key={part} y={HEIGHT - part * (HEIGHT - 12)} text={fiatCompact(part * top, currency)} />
          ))}
          {periods.map((period, index) => (
            <Bar
              key={period.first}
              period={period}
              currency={currency}
              x={AXIS + index * step}
              step={step}
              top={top}
              isLabelled={(periods.length - 1 - index) % every === 0}
              isPointed={period === pointed}
              onPoint={() => setAt(period.first)}
            />
          ))}
        </svg>
      </div>
      <Numbers periods={periods} currency={currency} />
    </figure>
  );
}

function shareName(share: Share): string {
  return share === 'several' ? t('several coins') : share;
}

function told(period: Period, currency: string): string {
  const shares = SHARES.flatMap((share) => {
    const amount = period.amounts[share];
    return amount === undefined ? [] : [`${shareName(share)} ${fiat(amount, currency)}`];
  });
  const sum = `${nameOf(period)}: ${fiat(total(period), currency)}`;
  return shares.length > 0 ? `${sum} (${shares.join(', ')})` : sum;
}

function GridLine({ y, text }: { y: number; text: string }) {
  return (
    <g aria-hidden="true">
      <line
        x1={AXIS}
        x2={WIDTH}
        y1={y}
        y2={y}
        strokeDasharray={y === HEIGHT ? '' : '3 5'}
        className="stroke-line"
      />
      <text x={AXIS - 8} y={y + 4} textAnchor="end" className="fill-soft text-[12px]">
        {text}
      </text>
    </g>
  );
}

function Numbers({ periods, currency }: ChartProps) {
  const shown = SHARES.filter((share) => periods.some(({ amounts }) => amounts[share] !== undefined));
  return (
    <div className="sr-only">
      <table>
        <caption>{t('Volume')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Days')}</th>
            {shown.map((share) => (
              <th key={share} scope="col">
                {shareName(share)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {periods.map((period) => (
            <tr key={period.first}>
              <th scope="row">{nameOf(period)}</th>
              {shown.map((share) => (
                <td key={share}>{fiat(period.amounts[share] ?? '0', currency)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface BarProps {
  readonly period: Period;
  readonly currency: string;
  readonly x: number;
  readonly step: number;
  readonly top: number;
  readonly isLabelled: boolean;
  readonly isPointed: boolean;
  readonly onPoint: () => void;
}

function Bar({ period, currency, x, step, top, isLabelled, isPointed, onPoint }: BarProps) {
  const shopId = useShopId();
  const width = Math.min(36, step * 0.62);
  const left = x + (step - width) / 2;
  const heights = SHARES.map((share) => (Number(period.amounts[share] ?? 0) / top) * (HEIGHT - 12));
  const isEmpty = heights.every((height) => height === 0);
  // In the middle of a narrow bar at the edge, its name would be cut.
  const isLast = step < 40 && x + step > WIDTH - 1;
  return (
    <g>
      <Link
        to="/shop/$shopId/payments"
        params={{ shopId }}
        search={{ status: 'completed', startDate: period.first, endDate: period.last }}
        aria-label={t('Payments of {period}', { period: told(period, currency) })}
        className="-outline-offset-2"
        onFocus={onPoint}
        // Not onMouseEnter: where the page grows below a mouse that rests, the keyboard's bar stays pointed at.
        onMouseMove={onPoint}
      >
        <rect
          x={x}
          y={0}
          width={step}
          height={HEIGHT}
          className={isPointed ? 'fill-well' : 'fill-transparent'}
        />
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
      </Link>
      {isLabelled && (
        <text
          aria-hidden="true"
          x={isLast ? WIDTH : x + step / 2}
          y={HEIGHT + 18}
          textAnchor={isLast ? 'end' : 'middle'}
          className="fill-soft text-[12px]"
        >
          {dayName(period.first, true)}
        </text>
      )}
    </g>
  );
}
