import { type DeepPartial, type ID, VendureEntity } from '@vendure/core';
import { Column, Entity, Index } from 'typeorm';

/** The connection of a channel to a shop of tilld. */
@Entity('tilld_connection')
export class TilldConnection extends VendureEntity {
  constructor(input?: DeepPartial<TilldConnection>) {
    super(input);
  }

  @Index({ unique: true })
  @Column()
  channelId!: string;

  @Column({ type: 'varchar', nullable: true })
  merchantId!: string | null;

  /** Encrypted, like the endpoint's secret. */
  @Column({ type: 'text', nullable: true })
  sealedKey!: string | null;

  @Column({ type: 'varchar', nullable: true })
  endpointId!: string | null;

  @Column({ type: 'text', nullable: true })
  sealedEndpointSecret!: string | null;

  /** The `seq` of the last event that the job has processed; null before its first run. */
  @Column({ type: 'int', nullable: true })
  cursor!: number | null;

  /** Of a pending connect request. */
  @Column({ type: 'varchar', nullable: true })
  connectState!: string | null;

  @Column({ type: 'text', nullable: true })
  sealedCodeVerifier!: string | null;

  @Column({ type: 'varchar', nullable: true })
  connectStartedAt!: string | null;
}

/** A payment of tilld that was created for an order. An order may have several, but only one of them can be paid. */
@Entity('tilld_payment')
export class TilldPayment extends VendureEntity {
  constructor(input?: DeepPartial<TilldPayment>) {
    super(input);
  }

  @Index()
  @Column()
  channelId!: string;

  @Index()
  @Column()
  orderId!: string;

  @Index({ unique: true })
  @Column()
  paymentId!: string;

  @Column('text')
  checkoutUrl!: string;

  /** The storefront's return address, unless the options set it: see `TilldWayBackService`. */
  @Column({ type: 'text', nullable: true })
  successUrl!: string | null;

  @Column({ type: 'text', nullable: true })
  returnUrl!: string | null;

  /** The shop deleted its customer, who is not erased in tilld yet. */
  @Column({ default: false })
  isToErase!: boolean;

  /** The last state that was applied to the order. */
  @Column()
  state!: string;

  /** Optimistic lock against two processes that apply the same change. */
  @Column('int', { default: 0 })
  revision!: number;

  /** A change could not be applied: the job retries it. */
  @Column({ default: false })
  isBehind!: boolean;
}

/** The claim link of a refund, or the send of a refund that the owner made in tilld (then without an address). */
@Entity('tilld_refund')
export class TilldRefund extends VendureEntity {
  constructor(input?: DeepPartial<TilldRefund>) {
    super(input);
  }

  @Index({ unique: true })
  @Column()
  refundId!: string;

  @Index()
  @Column()
  paymentId!: string;

  @Column()
  orderId!: string;

  @Column()
  linkId!: string;

  @Column('text')
  url!: string;

  @Column()
  status!: string;

  /** Number of links created for it. */
  @Column('int', { default: 1 })
  attempt!: number;

  /** Whether the network fee is deducted from the amount. */
  @Column({ default: false })
  deductFee!: boolean;
}

export const textId = (id: ID): string => String(id);
