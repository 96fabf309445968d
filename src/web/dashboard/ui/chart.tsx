import { Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { useShopId } from '../api/hooks.ts';
import type { Coin } from '../contract/types.ts';
import { COIN_CLASSES, COINS } from '../format/coins.ts';
import { t } from '../i18n/t.ts';
import { add } from '../format/decimal.ts';
import { dayName, fiat, fiatCompact } from '../format/format.ts';

/** The coin of a payment; `several` if it was paid in more than one. */
export type Share = Coin | 'several';
export const SHARES: readonly Share[] = [...COINS, 'several'];

/** A day, a week or a month of the chart. */
export interface Period {
  readonly first: string;
  readonly last: string;
  /** The label below its bar. */
  readonly label: string;
  /** Exact amounts in the currency of the chart. */
  readonly amounts: Partial<Record<Share, string>>;
}

const barFill = (share: Share): string => (share === 'several' ? 'fill-soft' : COIN_CLASSES[share].bar);
export const HEIGHT = 180;
/** Height of the labels below the bars. */
export const FOOT = 26;
/** Minimum width of a bar, px; the chart scrolls if the screen is narrower than all bars. */
export const LEAST_STEP = 18;
/** Width of the axis labels left of the bars. */
const AXIS = 64;
/** Minimum width of a label, px; narrower bars are labelled only every second, third and so on. */
export const LEAST_LABEL = 46;
/** Number of grid lines with a label. */
export const GRID = [0, 0.5, 1] as const;

/** Touch screens have no pointer over a bar. */
const CAN_HOVER = globalThis.matchMedia('(hover: hover)').matches;

export function findEdge(index: number, count: number): 'first' | 'last' | null {
  if (index === count - 1) return 'last';
  return index === 0 ? 'first' : null;
}

export const toBarTop = (part: number): number => HEIGHT - part * (HEIGHT - 12);

function total({ amounts }: Period): string {
  return add(SHARES.map((share) => amounts[share] ?? '0'));
}

function periodName({ first, last }: Period): string {
  return first === last
    ? dayName(first)
    : t('{first} to {last}', { first: dayName(first), last: dayName(last) });
}

/** The next higher of 1, 2, 5, 10, 20, 50 and so on. */
export function roundUp(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  const factor = [1, 2, 5].find((one) => one * power >= amount) ?? 10;
  return factor * power;
}

/** An element's ref and its width in pixels, so that the text of the chart has the same size on every screen. */
export function useWidth(): [ref: RefObject<HTMLDivElement | null>, width: number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box === null) return undefined;
    const measure = (): void => setWidth(box.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

interface ChartProps {
  readonly periods: readonly Period[];
  readonly currency: string;
}

/** Stacked bars, each a link to its payments; screen readers get the same numbers as a table. */
export function VolumeChart({ periods, currency }: ChartProps) {
  const [at, setAt] = useState<string | null>(null);
  const pointed = periods.find(({ first }) => first === at);
  // Heights are rounded to numbers; the amounts in the texts are exact.
  const most = Math.max(...periods.map((period) => Number(total(period))));
  const top = most > 0 ? roundUp(most) : 1;
  const [box, shownWidth] = useWidth();
  const width = Math.max(shownWidth, periods.length * LEAST_STEP);
  const step = width / Math.max(periods.length, 1);
  const every = Math.max(1, Math.ceil(LEAST_LABEL / step));
  // If the chart is wider than the screen, it scrolls to the newest days first.
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollLeft = width;
  }, [box, width]);
  return (
    <figure>
      <p aria-hidden="true" className="money min-h-5 text-sm text-soft">
        {pointed === undefined
          ? CAN_HOVER
            ? t('Hover for details, click to see the payments.')
            : t('Tap a bar to see its payments.')
          : describePeriod(pointed, currency)}
      </p>
      {/* Time runs from left to right in every language, as on other charts. */}
      <div dir="ltr" className="flex">
        <Axis top={top} currency={currency} />
        <div
          ref={box}
          className="min-w-0 grow overflow-x-auto"
          tabIndex={0}
          role="region"
          aria-label={t('Volume chart')}
        >
          <svg width={width} height={HEIGHT + FOOT} className="block" onMouseLeave={() => setAt(null)}>
            {GRID.map((part) => (
              <GridLine key={part} y={toBarTop(part)} width={width} />
            ))}
            {periods.map((period, index) => (
              <Bar
                key={period.first}
                period={period}
                currency={currency}
                x={index * step}
                step={step}
                top={top}
                edge={findEdge(index, periods.length)}
                isLabelled={(periods.length - 1 - index) % every === 0}
                isPointed={period === pointed}
                onPoint={() => setAt(period.first)}
              />
            ))}
          </svg>
        </div>
      </div>
      <Numbers periods={periods} currency={currency} />
    </figure>
  );
}

function shareName(share: Share): string {
  return share === 'several' ? t('several coins') : share;
}

function describePeriod(period: Period, currency: string): string {
  const shares = SHARES.flatMap((share) => {
    const amount = period.amounts[share];
    return amount === undefined ? [] : [`${shareName(share)} ${fiat(amount, currency)}`];
  });
  const sum = `${periodName(period)}: ${fiat(total(period), currency)}`;
  return shares.length > 0 ? `${sum} (${shares.join(', ')})` : sum;
}

/** The labels of the axis stay in place while the bars scroll. */
export function Axis({ top, currency }: { top: number; currency: string }) {
  return (
    <svg aria-hidden="true" width={AXIS} height={HEIGHT + FOOT} className="block shrink-0">
      {GRID.map((part) => (
        <text
          key={part}
          x={AXIS - 8}
          y={toBarTop(part) + 4}
          textAnchor="end"
          className="fill-soft text-[12px]"
        >
          {fiatCompact(part * top, currency)}
        </text>
      ))}
    </svg>
  );
}

export function GridLine({ y, width }: { y: number; width: number }) {
  return (
    <line
      aria-hidden="true"
      x1={0}
      x2={width}
      y1={y}
      y2={y}
      strokeDasharray={y === HEIGHT ? '' : '3 5'}
      className="stroke-line"
    />
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
              <th scope="row">{periodName(period)}</th>
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
  /** The edge of the chart that the bar is at. */
  readonly edge: 'first' | 'last' | null;
  readonly isLabelled: boolean;
  readonly isPointed: boolean;
  readonly onPoint: () => void;
}

/** Centred below its bar; aligned to the edge of the chart if the label of a narrow bar would be clipped. */
export function labelPlace(x: number, step: number, edge: 'first' | 'last' | null) {
  if (edge === null || step >= LEAST_LABEL) return { x: x + step / 2, textAnchor: 'middle' as const };
  return edge === 'first' ? { x, textAnchor: 'start' as const } : { x: x + step, textAnchor: 'end' as const };
}

function Bar({ period, currency, x, step, top, edge, isLabelled, isPointed, onPoint }: BarProps) {
  const shopId = useShopId();
  const width = Math.min(36, step * 0.62);
  const left = x + (step - width) / 2;
  const heights = SHARES.map((share) => (Number(period.amounts[share] ?? 0) / top) * (HEIGHT - 12));
  const isEmpty = heights.every((height) => height === 0);
  return (
    <g>
      <Link
        to="/shop/$shopId/payments"
        params={{ shopId }}
        search={{ status: 'completed', startDate: period.first, endDate: period.last }}
        aria-label={t('Payments of {period}', { period: describePeriod(period, currency) })}
        className="-outline-offset-2"
        onFocus={onPoint}
        // Not onMouseEnter: if the page moves below a resting mouse, the bar selected by keyboard stays selected.
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
              className={barFill(share)}
            />
          );
        })}
      </Link>
      {isLabelled && (
        <text
          aria-hidden="true"
          {...labelPlace(x, step, edge)}
          y={HEIGHT + 18}
          className="fill-soft text-[12px]"
        >
          {period.label}
        </text>
      )}
    </g>
  );
}
