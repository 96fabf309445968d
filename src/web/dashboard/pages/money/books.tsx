import { downloadMonth } from '../../api/movements.ts';
import { useAct, useShopId, useTimeZone } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { fullMonth, today } from '../../format/format.ts';
import { language } from '../../i18n/language.ts';
import { t } from '../../i18n/t.ts';
import { Card, PageTitle } from '../../ui/basics.tsx';
import { Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { ExportForm } from './export-movements.tsx';

/** Months to choose from, the current one included. */
const MONTHS = 36;

/** What a bookkeeper takes from the shop. */
export function BooksPage() {
  return (
    <>
      <PageTitle
        title={t('Books')}
        lead={t('Everything that your bookkeeper needs: the figures of a month, and each movement of money.')}
      />
      <div className="grid max-w-2xl gap-6">
        <Card title={t('Month-end')}>
          <MonthForm />
        </Card>
        <Card title={t('Movements')}>
          <ExportForm onDone={() => undefined} />
        </Card>
      </div>
    </>
  );
}

function MonthForm() {
  const merchantId = useShopId();
  const timeZone = useTimeZone();
  const { viewed: mode } = useMode();
  const run = useAct(downloadMonth);
  const months = lastMonths(today(timeZone));
  return (
    <Form
      fields={['month', 'format']}
      submit={t('Download')}
      busy={run.isPending}
      error={run.error}
      onSubmit={(values) => run.mutate({ merchantId, mode, timeZone, language, ...values })}
    >
      <p className="text-sm text-soft">
        {t(
          'Turnover, refunds, sends and network fees by coin and currency, the balance of each coin from the beginning to the end of the month, and the rates with their sources.',
        )}
      </p>
      <div className="grid grid-cols-2 gap-3">
        <Select label={t('Month')} name="month" defaultValue={months[1]}>
          {months.map((month, index) => (
            <option key={month} value={month}>
              {index === 0 ? t('{month} (so far)', { month: fullMonth(month) }) : fullMonth(month)}
            </option>
          ))}
        </Select>
        <Select label={t('Format')} name="format" defaultValue="pdf">
          <option value="pdf">{t('PDF, to print and keep')}</option>
          <option value="csv">{t('CSV, for spreadsheets')}</option>
        </Select>
      </div>
      <p className="text-xs text-soft">
        {t('Months are those of {timeZone}.', { timeZone: timeZone.replaceAll('_', ' ') })}
      </p>
    </Form>
  );
}

/** Newest first. */
function lastMonths(day: string): string[] {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back)).toISOString().slice(0, 7),
  );
}
