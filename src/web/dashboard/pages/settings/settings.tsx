import { useState } from 'react';
import { api } from '../../api/client.ts';
import { changedFields } from '../../api/changed-fields.ts';
import type { Body, Data } from '../../contract/contract.ts';
import { useAct, useShop, useShops } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Shop } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { plainAmount } from '../../format/decimal.ts';
import { Currencies, Field, Select, TimeZones } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { readersZone, when } from '../../format/format.ts';
import { Branding } from './branding.tsx';
import { Embedding } from './embedding.tsx';
import { Receipts } from './receipts.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { Subscriptions } from './subscriptions.tsx';

export function SettingsPage() {
  const shops = useShops();
  const shop = useShop();
  const may = usePermission();
  return (
    <>
      <PageTitle title={t('Shop settings')} lead={shop?.name} />
      <Loaded of={shops}>
        {() =>
          shop === undefined ? (
            <p>{t('There is no such shop.')}</p>
          ) : !may('owner') ? (
            <p>{t('Only the owner of the shop can change its settings.')}</p>
          ) : (
            <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
              <General key={shop.id} shop={shop} />
              <div className="grid grid-cols-1 content-start gap-6">
                <Domain shop={shop} />
                <Branding key={shop.id} shop={shop} />
                <Receipts key={`receipts ${shop.id}`} shop={shop} />
                <Embedding shop={shop} />
                <Subscriptions key={shop.id} shop={shop} />
                <ModeSwitch shop={shop} />
              </div>
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const GENERAL = [
  'name',
  'description',
  'webhookUrl',
  'paymentLifetimeMinutes',
  'tolerancePercent',
  'latePayments',
  'renewExpired',
  'payerMayAskExcess',
  'currency',
  'timeZone',
] as const;

function General({ shop }: { shop: Shop }) {
  const save = useAct((fields: Omit<Body<'PATCH', '/merchant/edit'>, 'merchantId'>) =>
    api('PATCH', '/merchant/edit', { body: { ...fields, merchantId: shop.id } }),
  );
  return (
    <Card title={t('Shop')}>
      <Form
        fields={GENERAL}
        submit={t('Save')}
        busy={save.isPending}
        error={save.error}
        onSubmit={({
          paymentLifetimeMinutes,
          tolerancePercent,
          latePayments,
          renewExpired,
          payerMayAskExcess,
          ...texts
        }) =>
          save.mutate(
            changedFields(
              {
                ...texts,
                tolerancePercent: plainAmount(tolerancePercent),
                paymentLifetimeMinutes: Number(paymentLifetimeMinutes),
                latePayments: latePayments === 'review' ? ('review' as const) : ('accept' as const),
                renewExpired: renewExpired === 'yes',
                payerMayAskExcess: payerMayAskExcess === 'yes',
              },
              shop,
            ),
          )
        }
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              {t('Saved')}
            </span>
          )
        }
      >
        <Field label={t('Name')} name="name" defaultValue={shop.name} required />
        <Field label={t('Description')} name="description" defaultValue={shop.description ?? ''} />
        <Field
          label={t('Webhook URL')}
          name="webhookUrl"
          type="url"
          placeholder="https://shop.example.com/webhooks/tilld"
          hint={t('Receives every payment event; signed, and retried for three days')}
          defaultValue={shop.webhookUrl ?? ''}
        />
        <Leniency shop={shop} />
        <Reckoning shop={shop} />
        <Exceptions shop={shop} />
      </Form>
    </Card>
  );
}

/** Late, expired and overpaid payments. */
function Exceptions({ shop }: { shop: Shop }) {
  return (
    <>
      <Select label={t('Late payments')} name="latePayments" defaultValue={shop.latePayments}>
        <option value="accept">{t('Accept it when it covers the price')}</option>
        <option value="review">{t('Let me decide')}</option>
      </Select>
      <Select
        label={t('Expired payments')}
        name="renewExpired"
        hint={t('At a new rate, for the same order, for 7 days. Payment links offer it in any case')}
        defaultValue={shop.renewExpired ? 'yes' : 'no'}
      >
        <option value="no">{t('Payers start again in the shop')}</option>
        <option value="yes">{t('Payers may renew them')}</option>
      </Select>
      <Select
        label={t('Overpaid orders')}
        name="payerMayAskExcess"
        hint={t('Nothing is sent before you approve it')}
        defaultValue={shop.payerMayAskExcess ? 'yes' : 'no'}
      >
        <option value="yes">{t('Payers may ask for the excess on the payment page')}</option>
        <option value="no">{t('Payers contact you')}</option>
      </Select>
    </>
  );
}

/** Payment deadline and accepted underpayment. */
function Leniency({ shop }: { shop: Shop }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label={t('Time to pay, in minutes')}
        name="paymentLifetimeMinutes"
        type="number"
        min={5}
        max={1440}
        defaultValue={shop.paymentLifetimeMinutes}
      />
      <Field
        label={t('Tolerance, in percent')}
        name="tolerancePercent"
        inputMode="decimal"
        hint={t('Accept payments up to this much short (0–5 %)')}
        defaultValue={shop.tolerancePercent}
      />
    </div>
  );
}

/** The currency of totals, and the time zone of their days. */
function Reckoning({ shop }: { shop: Shop }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label={t('Currency')}
        name="currency"
        list="currencies"
        maxLength={3}
        hint={t('Of balances and totals here; prices may be in any other')}
        defaultValue={shop.currency}
        required
      />
      <Currencies />
      <Field
        label={t('Time zone')}
        name="timeZone"
        list="time-zones"
        maxLength={64}
        placeholder={readersZone}
        hint={t('For the days in lists, charts and exports. Empty: your browser’s time zone.')}
        defaultValue={shop.timeZone ?? ''}
      />
      <TimeZones />
    </div>
  );
}

type Verification = Data<'POST', '/merchant/verify-domain'>['verification'];
type Method = Verification['method'];

/** The DNS record or file to publish, verbatim. */
const RECORDS: Record<Method, (shop: Shop, token: string) => [name: string, text: string][]> = {
  dns: ({ domain }, token) => [
    [t('Name of the TXT record'), `_tilld-challenge.${domain}`],
    [t('Value'), `token=${token}`],
  ],
  file: ({ domain }, token) => [
    [t('Address of the file'), `https://${domain}/.well-known/tilld-verification.txt`],
    [t('Content'), token],
  ],
  meta: (_shop, token) => [
    [t('In the head of the home page'), `<meta name="tilld-verification" content="${token}">`],
  ],
};

const METHODS: readonly Method[] = ['dns', 'file', 'meta'];

function Domain({ shop }: { shop: Shop }) {
  const [method, setMethod] = useState<Method>('dns');
  const body = { merchantId: shop.id };
  const choose = useAct((wanted: Method) =>
    api('POST', '/merchant/verify-domain', { body: { ...body, method: wanted } }),
  );
  const check = useAct(() => api('POST', '/merchant/verify-domain/check', { body }));
  const found = check.data?.verification;
  const pick = (value: string): void => {
    const next = METHODS.find((one) => one === value) ?? 'dns';
    setMethod(next);
    // The result on the page belongs to the other method.
    if (choose.data !== undefined) choose.mutate(next);
  };
  const error = choose.error ?? check.error;
  return (
    <Card
      title={t('Domain')}
      actions={
        <Badge tone={shop.isVerified ? 'good' : 'warn'}>
          {shop.isVerified ? t('Verified') : t('Not verified')}
        </Badge>
      }
    >
      <div className="grid gap-4">
        <p className="text-sm text-soft">
          {parts('Payers see {domain} on the checkout, and whether it is yours.', {
            domain: <b className="text-ink">{shop.domain}</b>,
          })}
        </p>
        <Select label={t('Prove it by')} value={method} onChange={(event) => pick(event.target.value)}>
          <option value="dns">{t('A DNS record')}</option>
          <option value="file">{t('A file on the site')}</option>
          <option value="meta">{t('A tag in the home page')}</option>
        </Select>
        {choose.data !== undefined &&
          RECORDS[choose.data.verification.method](shop, choose.data.verification.token).map(
            ([name, text]) => (
              <div key={name} className="grid gap-1.5">
                <p className="text-sm font-medium">{name}</p>
                <CopyLine text={text} label={name} />
              </div>
            ),
          )}
        {error !== null && <Problem error={error} />}
        {found !== undefined && (
          <p role="status" className={`text-sm ${found.verified ? 'text-accent' : 'text-warn'}`}>
            {found.verified ? t('The domain is verified.') : (found.lastError ?? t('Not found yet.'))}
            {found.checkedAt !== null &&
              ` ${t('Checked {checkedAt}.', { checkedAt: when(found.checkedAt) })}`}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            look={choose.data === undefined ? 'primary' : 'plain'}
            busy={choose.isPending}
            onClick={() => choose.mutate(method)}
          >
            {t('Show what to publish')}
          </Button>
          <Button busy={check.isPending} onClick={() => check.mutate()}>
            {t('Check now')}
          </Button>
        </div>
      </div>
    </Card>
  );
}
