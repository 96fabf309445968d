import { type DeepPartial, type ID, VendureEntity } from '@vendure/core';
import { Column, Entity, Index } from 'typeorm';

/** How one channel is connected with a shop of tilld. */
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

  /** Sealed, as the endpoint's secret is. */
  @Column({ type: 'text', nullable: true })
  sealedKey!: string | null;

  @Column({ type: 'varchar', nullable: true })
  endpointId!: string | null;

  @Column({ type: 'text', nullable: true })
  sealedEndpointSecret!: string | null;

  /** The `seq` of the last event that the job has worked on; null before its first run. */
  @Column({ type: 'int', nullable: true })
  cursor!: number | null;

  /** Of a connect request whose owner was not back yet. */
  @Column({ type: 'varchar', nullable: true })
  connectState!: string | null;

  @Column({ type: 'text', nullable: true })
  sealedCodeVerifier!: string | null;

  @Column({ type: 'varchar', nullable: true })
  connectStartedAt!: string | null;
}

/** A payment of tilld that was made for an order. An order may have had several, of which one can be paid. */
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

  /** Where the storefront wants its customer, unless the options say: see `TilldWayBackService`. */
  @Column({ type: 'text', nullable: true })
  successUrl!: string | null;

  @Column({ type: 'text', nullable: true })
  returnUrl!: string | null;

  /** The shop deleted its customer, whom tilld has not erased yet. */
  @Column({ default: false })
  isToErase!: boolean;

  /** The state that the order was last told. */
  @Column()
  state!: string;

  /** Guards against two processes that apply the same news at once. */
  @Column('int', { default: 0 })
  revision!: number;

  /** News could not be applied: the job tries again. */
  @Column({ default: false })
  isBehind!: boolean;
}

/** The claim link of a refund, or the send by which the owner gave money back in tilld (then without an address). */
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

  /** Counts the links made for it. */
  @Column('int', { default: 1 })
  attempt!: number;

  /** Whether the network fee is taken from the amount. */
  @Column({ default: false })
  deductFee!: boolean;
}

export const textId = (id: ID): string => String(id);
