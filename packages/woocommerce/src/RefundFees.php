<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/**
 * Who pays the network fee of a refund. On top of it, as a rule: then a wallet that holds nothing but the order's own money
 * cannot give all of it back.
 */
final class RefundFees
{
    private const ACTION = 'tilld_refund_deduct_fee';

    public static function hook(): void
    {
        add_filter('woocommerce_order_actions', [self::class, 'offer'], 10, 2);
        add_action('woocommerce_order_action_' . self::ACTION, [self::class, 'renew']);
    }

    /** By the settings: whether refunds from now on pay their fee themselves. */
    public static function areDeducted(): bool
    {
        return Gateway::setting('refund_fee', 'no') === 'yes';
    }

    /** What the shopkeeper can do about a refund that cannot be sent. */
    public static function hint(array $link): string
    {
        return $link['deductFee']
            ? ''
            : __('If only the network fee is missing, choose the order action "New refund link, less the network fee".', 'tilld-for-woocommerce');
    }

    /** @param array<string, string> $actions of the page of an order */
    public static function offer($actions, $order = null): array
    {
        if ($order instanceof \WC_Order && Refunds::hasOpen($order)) {
            $actions[self::ACTION] = __('New refund link, less the network fee', 'tilld-for-woocommerce');
        }
        return (array) $actions;
    }

    /** The open refunds of the order by new links, in place of the present ones. */
    public static function renew(\WC_Order $order): void
    {
        try {
            Lock::hold("order_{$order->get_id()}", static function () use ($order): void {
                $fresh = Orders::fresh($order->get_id());
                foreach (Refunds::openOf($fresh) as $refund) {
                    self::renewOne($fresh, Orders::fresh($refund->get_id()));
                }
            });
        } catch (\Throwable $error) {
            Log::error("no new refund link for order {$order->get_id()}", $error);
            /* translators: %s: reason */
            $order->add_order_note(sprintf(__('tilld made no refund: %s', 'tilld-for-woocommerce'), $error->getMessage()));
        }
    }

    private static function renewOne(\WC_Order $order, \WC_Order_Refund $refund): void
    {
        $before = (string) $refund->get_meta(Refunds::LINK);
        // Refused where it was paid meanwhile: then the refund is what its link says.
        $link = Connection::client(2)->refundLinks->cancel(['linkId' => $before]);
        $terms = [
            'paymentId' => $link['paymentId'],
            'amount' => Amounts::text($refund->get_amount(), $order->get_currency()),
            'currency' => $order->get_currency(),
            'deductFee' => true,
        ] + ($link['reason'] === null ? [] : ['reason' => $link['reason']]);
        Refunds::open($order, $refund, $terms, "wc-refund-after-{$before}");
    }
}
