import { useLayoutEffect, useState } from 'react';
import { dayName, fiat } from '../format/format.ts';
import { t } from '../i18n/t.ts';
import {
  Axis,
  findEdge,
  FOOT,
  GRID,
  GridLine,
  HEIGHT,
  labelPlace,
  LEAST_LABEL,
  LEAST_STEP,
  roundUp,
  toBarTop,
  useWidth,
} from './chart.tsx';

/** Money in and out on a day, exact amounts in the currency of the chart. */
export interface FlowDay {
  readonly date: string;
  readonly in: string;
  readonly out: string;
}

interface FlowProps {
  readonly days: readonly FlowDay[];
  readonly currency: string;
}

const SIDES = [
  { side: 'in', fill: 'fill-accent' },
  { side: 'out', fill: 'fill-soft' },
] as const;

function describeDay(day: FlowDay, currency: string): string {
  return t('{day}: {in} in, {out} out', {
    day: dayName(day.date),
    in: fiat(day.in, currency),
    out: fiat(day.out, currency),
  });
}

/** A bar in and one out per day; screen readers get the same numbers as a table. */
export function FlowChart({ days, currency }: FlowProps) {
  const [at, setAt] = useState<string | null>(null);
  const pointed = days.find(({ date }) => date === at) ?? days.at(-1);
  // Heights are rounded to numbers; the amounts in the texts are exact.
  const most = Math.max(0, ...days.flatMap((day) => [Number(day.in), Number(day.out)]));
  const top = most > 0 ? roundUp(most) : 1;
  const [box, shownWidth] = useWidth();
  const width = Math.max(shownWidth, days.length * LEAST_STEP);
  const step = width / Math.max(days.length, 1);
  const every = Math.max(1, Math.ceil(LEAST_LABEL / step));
  // If the chart is wider than the screen, it scrolls to the newest days first.
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollLeft = width;
  }, [box, width]);
  return (
    <figure>
      <p aria-hidden="true" className="money min-h-5 text-sm text-soft">
        {pointed !== undefined && describeDay(pointed, currency)}
      </p>
      {/* Time runs from left to right in every language, as on other charts. */}
      <div dir="ltr" className="flex">
        <Axis top={top} currency={currency} />
        <div
          ref={box}
          className="min-w-0 grow overflow-x-auto"
          tabIndex={0}
          role="region"
          aria-label={t('Chart of money in and out')}
        >
          <svg
            aria-hidden="true"
            width={width}
            height={HEIGHT + FOOT}
            className="block"
            onMouseLeave={() => setAt(null)}
          >
            {GRID.map((part) => (
              <GridLine key={part} y={toBarTop(part)} width={width} />
            ))}
            {days.map((day, index) => (
              <DayBars
                key={day.date}
                day={day}
                x={index * step}
                step={step}
                top={top}
                edge={findEdge(index, days.length)}
                isLabelled={(days.length - 1 - index) % every === 0}
                isPointed={day.date === at}
                onPoint={() => setAt(day.date)}
              />
            ))}
          </svg>
        </div>
      </div>
      <Legend />
      <Numbers days={days} currency={currency} />
    </figure>
  );
}

interface DayProps {
  readonly day: FlowDay;
  readonly x: number;
  readonly step: number;
  readonly top: number;
  readonly edge: 'first' | 'last' | null;
  readonly isLabelled: boolean;
  readonly isPointed: boolean;
  readonly onPoint: () => void;
}

function DayBars({ day, x, step, top, edge, isLabelled, isPointed, onPoint }: DayProps) {
  const width = Math.min(16, step * 0.36);
  return (
    <g onMouseMove={onPoint} onTouchStart={onPoint}>
      <rect
        x={x}
        y={0}
        width={step}
        height={HEIGHT}
        className={isPointed ? 'fill-well' : 'fill-transparent'}
      />
      {SIDES.map(({ side, fill }, index) => {
        // A side is below zero if reversals exceed it.
        const height = (Math.max(0, Number(day[side])) / top) * (HEIGHT - 12);
        return (
          <rect
            key={side}
            x={x + step / 2 + (index - 1) * width}
            y={HEIGHT - Math.max(height, 1)}
            width={Math.max(1, width - 1)}
            height={Math.max(height, 1)}
            rx={Math.min(2, height / 2)}
            className={height === 0 ? 'fill-line' : fill}
          />
        );
      })}
      {isLabelled && (
        <text {...labelPlace(x, step, edge)} y={HEIGHT + 18} className="fill-soft text-[12px]">
          {dayName(day.date, true)}
        </text>
      )}
    </g>
  );
}

function Legend() {
  const names = { in: t('Money in'), out: t('Money out') };
  return (
    <ul aria-hidden="true" className="mt-3 flex gap-5 text-sm text-soft">
      {SIDES.map(({ side, fill }) => (
        <li key={side} className="flex items-center gap-2">
          <svg width={12} height={12}>
            <rect width={12} height={12} rx={3} className={fill} />
          </svg>
          {names[side]}
        </li>
      ))}
    </ul>
  );
}

function Numbers({ days, currency }: FlowProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>{t('Money in and out')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Days')}</th>
            <th scope="col">{t('Money in')}</th>
            <th scope="col">{t('Money out')}</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{dayName(day.date)}</th>
              <td>{fiat(day.in, currency)}</td>
              <td>{fiat(day.out, currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
