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
      mailServer: z
        .boolean()
        .meta({ description: 'Whether this server can send mails; without, nobody gets any' }),
      email: z.string().meta({ example: EXAMPLES.email }),
      isVerified: z.boolean().meta({ description: 'Only a verified address gets mails' }),
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
    summary: 'Read which mails you get about a shop',
    description:
      'The choices of the signed-in user about one shop, with the defaults where nothing was chosen.',
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
    summary: 'Choose which mails you get about a shop',
    description:
      'What is left out stays as it is. A payment that is taken back after it was paid, and a freeze of the wallet, are ' +
      'always told. At most 20 mails in an hour about one shop; what goes beyond is summed up in one.',
    body: z.object({
      merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
      kinds: z.partialRecord(z.enum(SHOP_NOTICES), z.boolean()).optional(),
      testPayments: z
        .boolean()
        .optional()
        .meta({ description: 'Whether payments of the sandbox are told, too' }),
      language: z.enum(LANGUAGES).optional().meta({ description: 'Of all your mails about shops' }),
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
