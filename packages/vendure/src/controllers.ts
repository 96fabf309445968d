import {
  Controller,
  Get,
  Headers,
  HttpCode,
  HttpException,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { verifyWebhook, WebhookError } from '@tilld/sdk';
import { Allow, Ctx, Logger, Permission, RequestContext, UserInputError } from '@vendure/core';
import type { Request, Response } from 'express';
import { LOG, TilldConnectionService, type Health } from './connection.service';
import { TilldSyncService } from './sync.service';

const PATH = 'tilld';

@Controller(PATH)
export class TilldController {
  constructor(
    private readonly connections: TilldConnectionService,
    private readonly sync: TilldSyncService,
  ) {}

  /** Takes a webhook: 2xx only once the order is right, so that tilld sends it again otherwise. */
  @Post('webhook/:connectionId')
  @HttpCode(200)
  async webhook(
    @Param('connectionId') connectionId: string,
    @Headers() headers: Record<string, string>,
    @Req() request: Request,
  ): Promise<{ ok: true }> {
    const connection = /^[\w-]{1,64}$/.test(connectionId)
      ? await this.connections.findById(connectionId)
      : null;
    if (connection === null) throw new HttpException('no such endpoint', 404);
    try {
      const secret = this.connections.endpointSecret(connection);
      const event = await verifyWebhook(request.body as Buffer, headers, secret);
      // The body names the payment; what it says of it is asked for.
      const payment =
        'payment' in event.data ? (event.data.payment as { id?: unknown } | undefined) : undefined;
      if (typeof payment?.id === 'string') await this.sync.payment(payment.id, connection.channelId);
      return { ok: true };
    } catch (error) {
      if (error instanceof WebhookError) {
        Logger.warn(`webhook refused: ${error.message}`, LOG);
        throw new HttpException(error.message, 400);
      }
      Logger.error(`webhook not applied, tilld sends it again: ${String(error)}`, LOG);
      throw new HttpException('not applied, send it again', 503);
    }
  }

  /** Where the owner comes back to from tilld's connect page; `state` shows that an administrator asked. */
  @Get('connected')
  async connected(@Query() query: Record<string, unknown>, @Res() response: Response): Promise<void> {
    const { state, code, error } = query;
    const page = (status: number, title: string, text: string): void => {
      response.status(status).set(PAGE_HEADERS).send(html(title, text));
    };
    if (error !== undefined) return page(200, 'Not connected', 'You did not agree. Nothing was changed.');
    if (typeof state !== 'string' || typeof code !== 'string')
      return page(400, 'Not connected', 'Please start again.');
    try {
      await this.connections.finishConnect(state, code);
      page(200, 'Connected', 'This shop takes coins through tilld now. You can close this window.');
    } catch (problem) {
      Logger.error(`connecting with tilld failed: ${String(problem)}`, LOG);
      const text =
        problem instanceof UserInputError ? problem.message : 'tilld did not give a key. Please start again.';
      page(400, 'Not connected', text);
    }
  }

  /** The settings page: how the connection does, and the button that makes it. */
  @Get('settings')
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  async settings(@Ctx() ctx: RequestContext, @Res() response: Response): Promise<void> {
    const health = await this.connections.health(ctx.channelId);
    const button = `<form method="post" action="/${PATH}/connect"><button>${health.connected ? 'Connect again' : 'Connect with tilld'}</button></form>`;
    response
      .set(PAGE_HEADERS)
      .send(html(`tilld in ${ctx.channel.code}`, health.message, `${table(health)}${button}`));
  }

  @Post('connect')
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  async connect(@Ctx() ctx: RequestContext, @Res() response: Response): Promise<void> {
    response.redirect(303, await this.connections.startConnect(ctx.channelId, ctx.channel.code));
  }
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

function table({ connected, key, webhook, node }: Health): string {
  const rows = {
    Connected: connected,
    'Key accepted': key,
    'Webhook endpoint': webhook,
    'Node follows': node,
  };
  const cells = Object.entries(rows).map(
    ([name, fine]) => `<tr><th>${name}</th><td>${fine ? 'yes' : 'no'}</td></tr>`,
  );
  return `<table>${cells.join('')}</table>`;
}

function html(title: string, text: string, more = ''): string {
  const style =
    'body{font:16px/1.5 system-ui;max-width:36rem;margin:4rem auto;padding:0 1rem}th{text-align:left;padding-right:2rem}';
  return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${more}</main></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
