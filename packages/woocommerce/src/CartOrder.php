<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Automattic\WooCommerce\StoreApi\Exceptions\RouteException;

defined('ABSPATH') || exit;

/**
 * The order that was made of a customer's cart. Once money of it was seen, the cart is emptied and pays nothing more;
 * while there is none, an order that takes its place closes its payment.
 */
final class CartOrder
{
    /** Key of the session: the order that the cart was last placed as. */
    private const KEY = 'tilld_order';
    /** And the last one whose money emptied it: a form that was left open can still be sent. */
    private const PAID_KEY = 'tilld_paid_order';

    public static function hook(): void
    {
        add_action('woocommerce_cart_loaded_from_session', [self::class, 'cartLoaded']);
        add_action('template_redirect', [self::class, 'explain'], 5);
        add_filter('woocommerce_update_order_review_fragments', [self::class, 'explainInForm']);
        add_action('woocommerce_before_checkout_process', [self::class, 'refuseEmptyCart']);
        add_action('woocommerce_after_checkout_validation', [self::class, 'validate'], 10, 2);
        add_action('woocommerce_store_api_checkout_update_order_from_request', [self::class, 'validateBlocks'], 10, 2);
        add_action('woocommerce_before_pay_action', [self::class, 'validatePayPage']);
        add_action('woocommerce_checkout_order_processed', [self::class, 'placedOtherwise'], 5);
        add_action('woocommerce_store_api_checkout_order_processed', [self::class, 'placedOtherwiseByBlocks'], 5);
    }

    /** In whichever tab or browser window of the session a page is opened next. */
    public static function cartLoaded($cart): void
    {
        $order = self::placed();
        // An order that is being placed is refused with the reason instead: an empty cart would be the wrong one.
        if ($order !== null && !self::isPlacing() && Orders::hasMoney($order)) {
            self::emptyCartOf($order);
        }
    }

    /** Empties the cart that this order was made of; any other stays. */
    public static function emptyCartOf(\WC_Order $order): void
    {
        if (!self::isOfSession($order)) {
            return;
        }
        WC()->session->set(self::KEY, null);
        WC()->session->set(self::PAID_KEY, $order->get_id());
        WC()->cart->empty_cart();
    }

    /** Whether the cart still holds what this order was made of. */
    public static function isInCart(\WC_Order $order): bool
    {
        return self::isOfSession($order) && !WC()->cart->is_empty();
    }

    /** Says why the cart is empty, on the pages where customers look for it. */
    public static function explain(): void
    {
        $isPage = (is_cart() || is_checkout()) && !is_wc_endpoint_url();
        $text = $isPage ? self::whyEmpty() : null;
        // The checkout leads on to the cart, which comes here as well.
        if ($text !== null && !wc_has_notice($text, 'notice')) {
            wc_add_notice($text, 'notice');
        }
    }

    /** The form of the classic checkout that a browser kept: WooCommerce puts there that the session has expired. */
    public static function explainInForm($fragments)
    {
        $text = isset($fragments['form.woocommerce-checkout']) ? self::whyEmpty() : null;
        if ($text !== null) {
            $fragments['form.woocommerce-checkout'] = wc_print_notice($text, 'notice', [], true);
        }
        return $fragments;
    }

    /**
     * WooCommerce would say that the session has expired.
     *
     * @throws \RuntimeException which the checkout shows
     */
    public static function refuseEmptyCart(): void
    {
        $text = self::whyEmpty();
        if ($text !== null) {
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- is escaped already
            throw new \RuntimeException($text);
        }
    }

    /** The classic checkout, whichever payment method was chosen. */
    public static function validate($data, $errors): void
    {
        $reason = self::refusal(self::placed());
        if ($reason !== null) {
            $errors->add('tilld', $reason->getMessage());
        }
    }

    /** The checkout of blocks, also for an order that was placed before: only when it is placed, not at each change of a field. */
    public static function validateBlocks($order, $request): void
    {
        if ($request->get_method() !== 'POST') {
            return;
        }
        $placed = self::placed();
        $isOther = (string) $order->get_meta(Orders::PAYMENT) !== '' && ($placed === null || $placed->get_id() !== $order->get_id());
        $reason = self::refusal($placed) ?? self::refusal($isOther ? $order : null);
        if ($reason !== null) {
            throw self::routeException($reason);
        }
    }

    /** WooCommerce's page on which one order is paid. */
    public static function validatePayPage($order): void
    {
        $reason = self::refusal($order instanceof \WC_Order && (string) $order->get_meta(Orders::PAYMENT) !== '' ? $order : null);
        if ($reason !== null) {
            wc_add_notice($reason->getMessage(), 'error');
            wp_safe_redirect($order->get_checkout_order_received_url());
            exit;
        }
    }

    /**
     * Does the work for an order once no other one of the same cart can be paid any more. One at a time for each cart:
     * two tabs may place it at once.
     *
     * @return string what the work returns
     * @throws OrderHasMoney when another one was paid
     */
    public static function holdAlone(int $orderId, callable $work): string
    {
        $order = wc_get_order($orderId);
        if (!$order instanceof \WC_Order || !self::isMadeOfCart($order)) {
            return $work();
        }
        $name = 'cart_' . md5(implode(' ', [$order->get_cart_hash(), $order->get_customer_id(), $order->get_billing_email()]));
        return Lock::hold($name, static function () use ($order, $work): string {
            OtherOrders::sign($order);
            OtherOrders::replaceBy($order, self::placed());
            WC()->session->set(self::KEY, $order->get_id());
            WC()->session->set(self::PAID_KEY, null);
            WC()->session->save_data();
            return $work();
        });
    }

    /**
     * The cart is placed to be paid by another method: no order of ours that it was placed as before may still be paid. Where
     * tilld does not answer, the other method goes on all the same.
     *
     * @param \WC_Order|int $placed
     * @throws OrderHasMoney when such an order was paid, which the checkout shows
     */
    public static function placedOtherwise($placed): void
    {
        $order = $placed instanceof \WC_Order ? $placed : wc_get_order($placed);
        if (!$order instanceof \WC_Order || Methods::isOurs($order) || !self::isMadeOfCart($order)) {
            return;
        }
        try {
            Connection::beBrief(static function () use ($order): void {
                OtherOrders::replaceBy($order, self::placed());
            });
        } catch (OrderHasMoney $error) {
            throw $error;
        } catch (\Throwable $error) {
            Log::warning("an earlier order of the cart of order {$order->get_id()} may still be paid", $error);
        }
    }

    public static function placedOtherwiseByBlocks($order): void
    {
        try {
            self::placedOtherwise($order);
        } catch (OrderHasMoney $error) {
            throw self::routeException($error);
        }
    }

    private static function refusal(?\WC_Order $order): ?OrderHasMoney
    {
        if ($order === null) {
            return null;
        }
        WayBack::refresh($order->get_id());
        $fresh = Orders::fresh($order->get_id());
        return Orders::hasMoney($fresh) ? new OrderHasMoney($fresh) : null;
    }

    private static function routeException(OrderHasMoney $reason): RouteException
    {
        return new RouteException('tilld_order_has_money', wp_kses_post($reason->getMessage()), 400);
    }

    /** @return ?string as HTML, where the money of an order emptied the cart, which is empty still */
    private static function whyEmpty(): ?string
    {
        $order = WC()->cart && WC()->cart->is_empty() ? self::remembered(self::PAID_KEY) : null;
        return $order === null ? null : OrderHasMoney::textFor($order);
    }

    /** The order of ours that this session's cart was placed as. */
    private static function placed(): ?\WC_Order
    {
        return self::remembered(self::KEY);
    }

    private static function remembered(string $key): ?\WC_Order
    {
        $orderId = WC()->session ? absint(WC()->session->get($key)) : 0;
        $order = $orderId > 0 ? wc_get_order($orderId) : null;
        return $order instanceof \WC_Order ? $order : null;
    }

    private static function isOfSession(\WC_Order $order): bool
    {
        $placed = self::placed();
        return WC()->cart && $placed !== null && $placed->get_id() === $order->get_id();
    }

    /** Not an older one that is paid from the account while the cart holds something else. */
    private static function isMadeOfCart(\WC_Order $order): bool
    {
        $cart = WC()->session ? WC()->cart : null;
        return $cart && !$cart->is_empty() && $order->has_cart_hash($cart->get_cart_hash());
    }

    private static function isPlacing(): bool
    {
        // Only which address is asked for: WooCommerce itself checks its nonces.
        // phpcs:disable WordPress.Security.NonceVerification
        $path = isset($_SERVER['REQUEST_URI']) ? rawurldecode(sanitize_text_field(wp_unslash($_SERVER['REQUEST_URI']))) : '';
        $isPost = ($_SERVER['REQUEST_METHOD'] ?? '') === 'POST';
        $isClassic = isset($_POST['woocommerce-process-checkout-nonce']);
        // phpcs:enable
        return $isPost && ($isClassic || preg_match('~/wc/store(/v\d+)?/checkout~', $path) === 1);
    }
}

/** Nothing more is paid: the customer is told which order has the money. */
final class OrderHasMoney extends \RuntimeException
{
    public function __construct(\WC_Order $order)
    {
        parent::__construct((string) self::textFor($order));
    }

    /** As HTML, with a link to the order; null for one that has no money and is not to be paid. */
    public static function textFor(\WC_Order $order): ?string
    {
        $state = (string) $order->get_meta(Orders::STATE);
        if ($state === 'short') {
            /* translators: 1: order number 2: start of a link 3: end of a link */
            $text = __('A part of the amount for order %1$s has arrived: please pay the rest. %2$sSee your order%3$s.', 'tilld-for-woocommerce');
        } elseif ($state !== 'reversed' && Orders::hasMoney($order)) {
            /* translators: 1: order number 2: start of a link 3: end of a link */
            $text = __('Your payment for order %1$s was seen: you need not pay again. %2$sSee your order%3$s.', 'tilld-for-woocommerce');
        } elseif ($state === 'reversed' || $order->needs_payment()) {
            /* translators: 1: order number 2: start of a link 3: end of a link */
            $text = __('The payment that was seen for order %1$s is gone: the order is not paid. %2$sSee your order%3$s.', 'tilld-for-woocommerce');
        } else {
            return null;
        }
        $link = '<a href="' . esc_url(WayBack::url($order)) . '">';
        return sprintf(esc_html($text), esc_html($order->get_order_number()), $link, '</a>');
    }
}
