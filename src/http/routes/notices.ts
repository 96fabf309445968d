import { z } from 'zod';
import { SHOP_NOTICES } from '../../domain/notices.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import {
  editNoticeSettings,
  type NoticeSettingsDeps,
  readNoticeSettings,
} from '../../usecases/notices/index.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { defineRoute, type Route } from '../server/route.ts';

const common = {
  path: '/merchant/notices',
  tags: ['Merchants'],
  auth: 'jwt',
  scope: 'never',
  status: 200,
} as const;

const data = z.object({
  notices: z
    .object({
      mailServer: z.boolean().meta({ description: 'Whether this server can send email' }),
      email: z.string().meta({ example: EXAMPLES.email }),
      isVerified: z.boolean().meta({ description: 'Only a verified address receives email' }),
      language: z.enum(LANGUAGES).nullable(),
      testPayments: z.boolean(),
      kinds: z.array(
        z.object({
          kind: z.enum(SHOP_NOTICES),
          enabled: z.boolean(),
          fixed: z.boolean().meta({ description: 'Cannot be switched off' }),
        }),
      ),
    })
    .meta({ id: 'Notices' }),
});

/** The email preferences of the signed-in user for a shop. */
export function noticeRoutes(deps: NoticeSettingsDeps): Route[] {
  return [readRoute(deps), editRoute(deps)];
}

function readRoute(deps: NoticeSettingsDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    summary: 'Read the email notifications about a shop',
    description:
      'The choices of the signed-in user for one shop, with the defaults where nothing was chosen.',
    query: z.object({ merchantId: identifier().meta({ example: EXAMPLES.merchantId }) }),
    data,
    errors: ['MERCHANT_NOT_FOUND'],
    handler: async ({ auth, query }) => ({
      notices: await readNoticeSettings(deps, { userId: auth.userId, ...query }),
    }),
  });
}

function editRoute(deps: NoticeSettingsDeps): Route {
  return defineRoute({
    ...common,
    method: 'PATCH',
    summary: 'Choose the email notifications about a shop',
    description:
      'Omitted fields are unchanged. Reversals of paid payments and freezes of the wallet are always sent. At most ' +
      '20 emails per hour about one shop; further notices are combined into one.',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      kinds: z.partialRecord(z.enum(SHOP_NOTICES), z.boolean()).optional(),
      testPayments: z
        .boolean()
        .optional()
        .meta({ description: 'Whether to send notices about sandbox payments' }),
      language: z.enum(LANGUAGES).optional().meta({ description: 'Of all your emails about shops' }),
    }),
    example: {
      body: { merchantId: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40', kinds: { paid: true }, language: 'de' },
    },
    data,
    errors: ['MERCHANT_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      const { merchantId, kinds = {}, testPayments, language } = body;
      const at = { userId: auth.userId, merchantId };
      return { notices: await editNoticeSettings(deps, at, { kinds, testPayments, language }) };
    },
  });
}
