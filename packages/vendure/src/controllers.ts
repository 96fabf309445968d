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
import { TilldWayBackService } from './way-back.service';

const PATH = 'tilld';

@Controller(PATH)
export class TilldController {
  constructor(
    private readonly connections: TilldConnectionService,
    private readonly sync: TilldSyncService,
    private readonly wayBackService: TilldWayBackService,
  ) {}

  /** Receives a webhook: responds 2xx only once the order is up to date, so that tilld otherwise retries it. */
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
      // Only the payment's id is taken from the body; its state is read from tilld.
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

  /** The return address of the checkout. Redirects temporarily, because the target depends on the current state. */
  @Get('return/:reference')
  async wayBack(@Param('reference') reference: string, @Res() response: Response): Promise<void> {
    const url = await this.wayBackService.destination(reference);
    if (url === null) throw new HttpException('no such order', 404);
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).redirect(303, url);
  }

  /** The return address of tilld's connect page; `state` proves that an administrator requested it. */
  @Get('connected')
  async connected(@Query() query: Record<string, unknown>, @Res() response: Response): Promise<void> {
    const { state, code, error } = query;
    const page = (status: number, title: string, text: string): void => {
      response.status(status).set(PAGE_HEADERS).send(this.html(title, text));
    };
    const say = this.connections.text.bind(this.connections);
    if (error !== undefined) return page(200, say('not_connected'), say('refused_by_owner'));
    if (typeof state !== 'string' || typeof code !== 'string')
      return page(400, say('not_connected'), say('start_again'));
    try {
      await this.connections.finishConnect(state, code);
      page(200, say('connected'), say('done'));
    } catch (problem) {
      Logger.error(`connecting with tilld failed: ${String(problem)}`, LOG);
      page(400, say('not_connected'), problem instanceof UserInputError ? problem.message : say('no_key'));
    }
  }

  /** The settings page: the state of the connection, and the button to connect. */
  @Get('settings')
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  async settings(@Ctx() ctx: RequestContext, @Res() response: Response): Promise<void> {
    const health = await this.connections.health(ctx.channelId);
    const button = `<form method="post" action="/${PATH}/connect"><button>${escaped(this.connections.text(health.connected ? 'connect_again' : 'connect'))}</button></form>`;
    response
      .set(PAGE_HEADERS)
      .send(
        this.html(
          this.connections.text('title', ctx.channel.code),
          health.message,
          `${this.table(health)}${button}`,
        ),
      );
  }

  @Post('connect')
  @Allow(Permission.UpdatePaymentMethod, Permission.UpdateSettings)
  async connect(@Ctx() ctx: RequestContext, @Res() response: Response): Promise<void> {
    response.redirect(303, await this.connections.startConnect(ctx.channelId, ctx.channel.code));
  }

  private table({ connected, key, webhook, node }: Health): string {
    const rows = Object.entries({ connected, key, webhook, node } as const) as [
      'connected' | 'key' | 'webhook' | 'node',
      boolean,
    ][];
    const cells = rows.map(([name, fine]) => {
      const [title, state] = [this.connections.text(name), this.connections.text(fine ? 'yes' : 'no')];
      return `<tr><th scope="row">${escaped(title)}</th><td>${escaped(state)}</td></tr>`;
    });
    return `<table>${cells.join('')}</table>`;
  }

  private html(title: string, text: string, more = ''): string {
    const style =
      'body{font:16px/1.5 system-ui;max-width:36rem;margin:4rem auto;padding:0 1rem}th{text-align:left;padding-right:2rem}';
    return `<!doctype html><html lang="${this.connections.language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${more}</main></html>`;
  }
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
