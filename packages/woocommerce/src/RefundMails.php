<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/**
 * WooCommerce mails the customer that he has been refunded as soon as a refund is made. Of a refund by a link that mail waits
 * until the money has left; the note with the link goes to him instead.
 */
final class RefundMails
{
    /** Meta of a refund: its mail is to be sent once it is paid, or was sent. */
    private const MAIL = '_tilld_refund_mail';
    private const DUE = 'due';
    private const SENT = 'sent';

    /** The mail of WooCommerce that is held, by the two names that it has. */
    private const EMAILS = ['customer_refunded_order', 'customer_partially_refunded_order'];

    /** @var int The refund that is being told of now; 0: none. */
    private static $sending = 0;

    public static function hook(): void
    {
        foreach (self::EMAILS as $email) {
            add_filter("woocommerce_email_enabled_{$email}", [self::class, 'mayBeSent'], 10, 3);
        }
    }

    /** Saved by the caller. */
    public static function hold(\WC_Order_Refund $refund): void
    {
        $refund->update_meta_data(self::MAIL, self::DUE);
    }

    /**
     * Asked by the mail itself, since a shop may have its mails sent by a later process: what WooCommerce would send of such a
     * refund never goes, only what is sent below.
     */
    public static function mayBeSent($isEnabled, $order = null, $email = null): bool
    {
        $refund = is_object($email) ? ($email->refund ?? null) : null;
        if (!$refund instanceof \WC_Order_Refund || $refund->get_id() === self::$sending) {
            return (bool) $isEnabled;
        }
        $stored = Orders::fresh($refund->get_id());
        return $isEnabled && $stored instanceof \WC_Order_Refund && (string) $stored->get_meta(self::MAIL) === '';
    }

    /** Whether a refund was paid whose customer was not told. */
    public static function areDue(\WC_Order $order): bool
    {
        return self::due($order) !== [];
    }

    /** Tells the customer of what was paid. Called under the lock of the order. */
    public static function sendDue(\WC_Order $order): void
    {
        foreach (array_reverse(self::due($order)) as $refund) {
            self::send($order, Orders::fresh($refund->get_id()));
        }
    }

    /** @return \WC_Order_Refund[] newest first */
    private static function due(\WC_Order $order): array
    {
        return array_filter($order->get_refunds(), static function ($refund): bool {
            return $refund->get_meta(self::MAIL) === self::DUE && $refund->get_meta(Refunds::STATUS) === 'paid';
        });
    }

    private static function send(\WC_Order $order, \WC_Order_Refund $refund): void
    {
        self::$sending = $refund->get_id();
        try {
            // The classes of the mails listen once the mailer is there.
            WC()->mailer();
            $kind = Refunds::isWhole($order) ? 'fully' : 'partially';
            do_action("woocommerce_order_{$kind}_refunded_notification", $order->get_id(), $refund->get_id());
        } finally {
            self::$sending = 0;
        }
        // Afterwards: a process that dies in between tells it twice, and none forgets it.
        $refund->update_meta_data(self::MAIL, self::SENT);
        $refund->save();
    }
}
