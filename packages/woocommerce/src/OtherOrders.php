<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Orders that the same customer made of the same cart before: one of them is paid, and no more. */
final class OtherOrders
{
    /** Meta of an order: the session that placed it, hashed. An e-mail address proves nothing, because anybody can enter it. */
    private const SESSION = '_tilld_session';
    private const MAX = 10;

    /** Notes on an order that this session placed it. */
    public static function sign(\WC_Order $order): void
    {
        $order->update_meta_data(self::SESSION, self::session());
        $order->save_meta_data();
    }

    /**
     * @param ?\WC_Order $placed the order that the session remembers
     * @throws OrderHasMoney when one of them was paid
     */
    public static function replaceBy(\WC_Order $order, ?\WC_Order $placed): void
    {
        foreach (self::of($order, $placed) as $other) {
            self::replace($other, $order);
        }
    }

    /** Gives up an order of the same cart in favour of the new one; its payment is cancelled on the way, see Cancelling. */
    private static function replace(\WC_Order $other, \WC_Order $order): void
    {
        /* translators: %s: order number */
        $text = sprintf(__('The customer placed the same cart again as order %s.', 'tilld-for-woocommerce'), $order->get_order_number());
        Lock::hold("order_{$other->get_id()}", static function () use ($other, $text): void {
            Orders::fresh($other->get_id())->update_status('cancelled', $text);
        });
        $after = Orders::fresh($other->get_id());
        if (Orders::hasMoney($after)) {
            $order->update_status('cancelled');
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- escapes its text itself
            throw new OrderHasMoney($after);
        }
        if (!$after->has_status('cancelled')) {
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- goes to the log
            throw new \RuntimeException("the payment of order {$other->get_id()}, which has the same cart, could not be cancelled");
        }
    }

    /** @return \WC_Order[] unpaid orders with a payment that the same customer made of the same cart */
    private static function of(\WC_Order $order, ?\WC_Order $placed): array
    {
        $found = [];
        if ($order->get_billing_email() !== '') {
            $found = wc_get_orders([
                'status' => ['pending', 'failed'],
                'billing_email' => $order->get_billing_email(),
                'cart_hash' => $order->get_cart_hash(),
                'date_created' => '>' . (time() - DAY_IN_SECONDS),
                'limit' => self::MAX,
            ]);
            $found = array_filter($found, static function (\WC_Order $other) use ($order): bool {
                return self::isOfSameCustomer($other, $order);
            });
        }
        if ($placed !== null && $placed->has_status(['pending', 'failed'])) {
            $found[] = $placed;
        }
        $others = [];
        foreach ($found as $other) {
            if ($other->get_id() !== $order->get_id() && Methods::isOurs($other) && (string) $other->get_meta(Orders::ASKED) !== '') {
                $others[$other->get_id()] = $other;
            }
        }
        return $others;
    }

    /** By his account, or by the session that this request belongs to. */
    private static function isOfSameCustomer(\WC_Order $other, \WC_Order $order): bool
    {
        $isOfAccount = $order->get_customer_id() > 0 && $other->get_customer_id() === $order->get_customer_id();
        return $isOfAccount || hash_equals(self::session(), (string) $other->get_meta(self::SESSION));
    }

    private static function session(): string
    {
        return wp_hash((string) WC()->session->get_customer_id());
    }
}
