import { useState } from 'react';
import { api, type ApiError } from '../api/client.ts';
import type { Body, Data } from '../api/contract.ts';
import { useAct, useShop, useShops } from '../api/hooks.ts';
import type { Shop } from '../api/types.ts';
import { Badge, Button, Card, CopyLine, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Field, fieldError, Form, Select, TimeZones } from '../ui/form.tsx';
import { readersZone, when } from '../ui/format.ts';
import { Embedding } from './embedding.tsx';
import { ModeSwitch } from './mode-switch.tsx';

export function SettingsPage() {
  const shops = useShops();
  const shop = useShop();
  return (
    <>
      <PageTitle title="Settings" lead={shop?.name} />
      <Shown of={shops}>
        {() =>
          shop === undefined ? (
            <p>There is no such shop.</p>
          ) : (
            <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
              <General key={shop.id} shop={shop} />
              <div className="grid grid-cols-1 content-start gap-6">
                <Domain shop={shop} />
                <Embedding shop={shop} />
                <ModeSwitch shop={shop} />
              </div>
            </div>
          )
        }
      </Shown>
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
  'currency',
  'timeZone',
] as const;

function General({ shop }: { shop: Shop }) {
  const save = useAct((fields: Omit<Body<'PATCH', '/merchant/edit'>, 'merchantId'>) =>
    api('PATCH', '/merchant/edit', { body: { ...fields, merchantId: shop.id } }),
  );
  const { error } = save;
  return (
    <Card title="Shop">
      <Form
        fields={GENERAL}
        submit="Save"
        busy={save.isPending}
        error={error}
        onSubmit={({ paymentLifetimeMinutes, latePayments, ...texts }) =>
          save.mutate({
            ...texts,
            paymentLifetimeMinutes: Number(paymentLifetimeMinutes),
            latePayments: latePayments === 'review' ? 'review' : 'accept',
          })
        }
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              Saved
            </span>
          )
        }
      >
        <Field label="Name" name="name" defaultValue={shop.name} required {...fieldError(error, 'name')} />
        <Field label="Description" name="description" defaultValue={shop.description ?? ''} />
        <Field
          label="Webhook URL"
          name="webhookUrl"
          type="url"
          placeholder="https://shop.example.com/webhooks/tilld"
          hint="Told of every change of a payment; signed, and tried again for three days"
          defaultValue={shop.webhookUrl ?? ''}
          {...fieldError(error, 'webhookUrl')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Time to pay, in minutes"
            name="paymentLifetimeMinutes"
            type="number"
            min={5}
            max={1440}
            defaultValue={shop.paymentLifetimeMinutes}
            {...fieldError(error, 'paymentLifetimeMinutes')}
          />
          <Field
            label="Tolerance, in percent"
            name="tolerancePercent"
            inputMode="decimal"
            hint="Underpayment still taken as paid, 0 to 5"
            defaultValue={shop.tolerancePercent}
            {...fieldError(error, 'tolerancePercent')}
          />
        </div>
        <Reckoning shop={shop} error={error} />
        <Select label="Late money" name="latePayments" defaultValue={shop.latePayments}>
          <option value="accept">Accept it when it covers the price</option>
          <option value="review">Let me decide</option>
        </Select>
      </Form>
    </Card>
  );
}

/** What totals are counted in, and whose days. */
function Reckoning({ shop, error }: { shop: Shop; error: ApiError | null }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Currency"
        name="currency"
        list="currencies"
        maxLength={3}
        hint="Of balances and totals here; prices may be in any other"
        defaultValue={shop.currency}
        required
        {...fieldError(error, 'currency')}
      />
      <datalist id="currencies">
        {Intl.supportedValuesOf('currency').map((code) => (
          <option key={code} value={code} />
        ))}
      </datalist>
      <Field
        label="Time zone"
        name="timeZone"
        list="time-zones"
        maxLength={64}
        placeholder={readersZone}
        hint="Whose days lists, charts and exports count; that of your browser when empty"
        defaultValue={shop.timeZone ?? ''}
        {...fieldError(error, 'timeZone')}
      />
      <TimeZones />
    </div>
  );
}

type Verification = Data<'POST', '/merchant/verify-domain'>['verification'];
type Method = Verification['method'];

/** What to publish, as it has to stand there. */
const RECORDS: Record<Method, (shop: Shop, token: string) => [name: string, text: string][]> = {
  dns: ({ domain }, token) => [
    ['Name of the TXT record', `_tilld-challenge.${domain}`],
    ['Value', `token=${token}`],
  ],
  file: ({ domain }, token) => [
    ['Address of the file', `https://${domain}/.well-known/tilld-verification.txt`],
    ['Content', token],
  ],
  meta: (_shop, token) => [
    ['In the head of the home page', `<meta name="tilld-verification" content="${token}">`],
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
    // What is in view would be for another method.
    if (choose.data !== undefined) choose.mutate(next);
  };
  const error = choose.error ?? check.error;
  return (
    <Card
      title="Domain"
      actions={
        <Badge tone={shop.isVerified ? 'good' : 'warn'}>
          {shop.isVerified ? 'Verified' : 'Not verified'}
        </Badge>
      }
    >
      <div className="grid gap-4">
        <p className="text-sm text-soft">
          Payers see <b className="text-ink">{shop.domain}</b> on the checkout, and whether it is yours.
        </p>
        <Select label="Prove it by" value={method} onChange={(event) => pick(event.target.value)}>
          <option value="dns">A DNS record</option>
          <option value="file">A file on the site</option>
          <option value="meta">A tag in the home page</option>
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
            {found.verified ? 'The domain is verified.' : (found.lastError ?? 'Not found yet.')}
            {found.checkedAt !== null && ` Looked ${when(found.checkedAt)}.`}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" busy={choose.isPending} onClick={() => choose.mutate(method)}>
            Show what to publish
          </Button>
          <Button busy={check.isPending} onClick={() => check.mutate()}>
            Check now
          </Button>
        </div>
      </div>
    </Card>
  );
}
