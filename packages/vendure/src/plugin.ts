import { Inject, OnApplicationBootstrap } from '@nestjs/common';
import { PluginCommonModule, ProcessContext, VendurePlugin, type Type } from '@vendure/core';
import { raw } from 'express';
import {
  adminSchema,
  shopSchema,
  TilldAdminResolver,
  TilldOrderResolver,
  TilldShopOrderResolver,
  TilldShopResolver,
} from './api';
import { TilldCancelGuard } from './cancel-guard';
import { TilldCheckoutService } from './checkout.service';
import { TilldConnectionService } from './connection.service';
import { TilldController } from './controllers';
import { TilldConnection, TilldPayment, TilldRefund } from './entities';
import { TilldErasureService } from './erasure.service';
import { tilldPaymentHandler } from './handler';
import { checkOptions, TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { TilldOrderService } from './order.service';
import { tilldOrderProcess } from './order-process';
import { TilldReconcileService, tilldReconcileTask } from './reconcile';
import { TilldRefundService } from './refund.service';
import { TilldReturnedService } from './returned.service';
import { TilldStatusService } from './status.service';
import { TilldSyncService } from './sync.service';
import { TilldWayBackService } from './way-back.service';

const BODY_LIMIT = '1mb';

/**
 * Accepts Bitcoin, Litecoin, Ethereum and Solana through tilld. Add it to `plugins`, then a payment method with its
 * handler, and connect on `/tilld/settings`.
 */
@VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: '^3.7.0',
  entities: [TilldConnection, TilldPayment, TilldRefund],
  controllers: [TilldController],
  providers: [
    { provide: TILLD_OPTIONS, useFactory: () => TilldPlugin.options },
    TilldConnectionService,
    TilldCancelGuard,
    TilldOrderService,
    TilldRefundService,
    TilldReturnedService,
    TilldSyncService,
    TilldCheckoutService,
    TilldWayBackService,
    TilldStatusService,
    TilldErasureService,
    TilldReconcileService,
  ],
  shopApiExtensions: { schema: shopSchema, resolvers: [TilldShopResolver, TilldShopOrderResolver] },
  adminApiExtensions: { schema: adminSchema, resolvers: [TilldAdminResolver, TilldOrderResolver] },
  configuration: (config) => {
    config.paymentOptions.paymentMethodHandlers.push(tilldPaymentHandler);
    config.orderOptions.process.push(tilldOrderProcess);
    config.schedulerOptions.tasks.push(tilldReconcileTask);
    // Before any parser, because the signature is over the raw bytes.
    config.apiOptions.middleware.push({
      route: '/tilld/webhook',
      handler: raw({ type: () => true, limit: BODY_LIMIT }),
      beforeListen: true,
    });
    return config;
  },
})
export class TilldPlugin implements OnApplicationBootstrap {
  static options: TilldPluginOptions;

  constructor(
    @Inject(ProcessContext) private readonly process: ProcessContext,
    private readonly refunds: TilldRefundService,
    private readonly erasures: TilldErasureService,
    private readonly sync: TilldSyncService,
  ) {}

  /** @throws {TypeError} for invalid options */
  static init(options: TilldPluginOptions): Type<TilldPlugin> {
    checkOptions(options);
    TilldPlugin.options = options;
    return TilldPlugin;
  }

  onApplicationBootstrap(): void {
    if (!this.process.isServer) return;
    this.refunds.listen();
    this.erasures.listen();
    this.sync.listen();
  }
}
