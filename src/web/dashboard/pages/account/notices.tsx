import { LANGUAGE_NAMES, LANGUAGES } from '../../../../i18n/languages.ts';
import { api } from '../../api/client.ts';
import type { Body, Data } from '../../contract/contract.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { language } from '../../i18n/language.ts';
import { t } from '../../i18n/t.ts';
import { Card, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { LiveChoiceCard } from './live-choice.tsx';
import { Check, Select } from '../../ui/form.tsx';

type Notices = Data<'GET', '/merchant/notices'>['notices'];
type Kind = Notices['kinds'][number]['kind'];
type Change = Omit<Body<'PATCH', '/merchant/notices'>, 'merchantId'>;

const NAMES: Readonly<Record<Kind, string>> = {
  paid: t('Each payment that is paid'),
  decision: t('Payments that wait for a decision'),
  refund_claim: t('Refunds that wait for approval'),
  reversed: t('Payments that were reversed after they were paid'),
  send: t('Transfers and refunds that fail or hang'),
  webhook: t('Webhooks that do not arrive'),
  freeze: t('Freezes of the wallet'),
  approval: t('Sends that wait for your approval'),
  forward: t('Changes of forwards to cold storage'),
  digest: t('Once a day, in the morning: everything that needs you'),
  month_end: t('On the first of each month: the figures of the last one, as PDF and CSV'),
};

/** Which emails the user gets about this shop: a choice of each member, limited by their role. */
export function NoticesPage() {
  const merchantId = useShopId();
  const read = useApi('/merchant/notices', { merchantId });
  return (
    <>
      <PageTitle
        title={t('Emails')}
        lead={t('Email notifications about this shop. Each member chooses their own.')}
      />
      <Loaded of={read} rows={4}>
        {({ notices }) => (
          <div className="grid max-w-2xl gap-6">
            <Reach notices={notices} />
            <Choices notices={notices} />
            <LiveChoiceCard />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** The reason why no emails are sent, if so. */
function Reach({ notices }: { notices: Notices }) {
  const { mailServer, isVerified, email } = notices;
  if (mailServer && isVerified)
    return <p className="text-sm text-soft">{t('They go to {email}.', { email })}</p>;
  return (
    <p role="status" className="rounded-xl bg-warn-soft p-3 text-sm text-warn">
      {mailServer
        ? t('No mail comes until your address {email} is verified: see your account.', { email })
        : t('This server has no mail server, so no mail comes. Your choice is kept.')}
    </p>
  );
}

function Choices({ notices }: { notices: Notices }) {
  const merchantId = useShopId();
  const save = useAct((change: Change) =>
    api('PATCH', '/merchant/notices', { body: { merchantId, ...change } }),
  );
  return (
    <Card>
      <div className="grid gap-1">
        {notices.kinds.map(({ kind, enabled, fixed }) => (
          <Check
            key={kind}
            label={fixed ? t('{what} (always)', { what: NAMES[kind] }) : NAMES[kind]}
            checked={enabled}
            disabled={fixed || save.isPending}
            onChange={({ target }) => save.mutate({ kinds: { [kind]: target.checked } })}
          />
        ))}
        <hr className="my-2 border-line" />
        <Check
          label={t('Test payments too')}
          checked={notices.testPayments}
          disabled={save.isPending}
          onChange={({ target }) => save.mutate({ testPayments: target.checked })}
        />
        <Select
          label={t('Language of your mails, from all shops')}
          name="language"
          value={notices.language ?? language}
          disabled={save.isPending}
          onChange={({ target }) => {
            const chosen = LANGUAGES.find((code) => code === target.value);
            if (chosen !== undefined) save.mutate({ language: chosen });
          }}
        >
          {LANGUAGES.map((code) => (
            <option key={code} value={code} lang={code}>
              {LANGUAGE_NAMES[code]}
            </option>
          ))}
        </Select>
        {save.error !== null && <Problem error={save.error} />}
        <p role="status" className="text-sm text-soft">
          {save.isSuccess && t('Saved')}
        </p>
      </div>
    </Card>
  );
}
