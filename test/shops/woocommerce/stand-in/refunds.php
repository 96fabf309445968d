<?php

declare(strict_types=1);

defined('ABSPATH') || exit;

/** The refund button: the refund is stored first, then the gateway is asked for its amount. @return WC_Order_Refund|WP_Error */
function wc_create_refund(array $args)
{
    $order = wc_get_order($args['order_id']);
    $remaining = (float) $order->get_remaining_refund_amount();
    if ($args['amount'] <= 0 || $args['amount'] > $remaining) {
        return new WP_Error('error', 'Invalid refund amount.');
    }
    $refund = new WC_Order_Refund();
    $refund->set_parent_id($order->get_id());
    $refund->set_currency($order->get_currency());
    $refund->set_amount(wc_format_decimal($args['amount']));
    $refund->set_reason($args['reason'] ?? '');
    do_action('woocommerce_create_refund', $refund, $args);
    $refund->save();
    if ($args['refund_payment'] ?? false) {
        $gateway = WC()->payment_gateways()->payment_gateways()[$order->get_payment_method()];
        if (!$gateway->can_refund_order($order)) {
            $refund->delete();
            return new WP_Error('error', 'The payment gateway for this order does not support automatic refunds.');
        }
        $result = $gateway->process_refund($order->get_id(), $args['amount'], $refund->get_reason());
        if (is_wp_error($result)) {
            $refund->delete();
            return $result;
        }
        $refund->set_refunded_payment(true);
        $refund->save();
    }
    if (apply_filters('woocommerce_order_is_partially_refunded', $remaining - $args['amount'] > 0, $order->get_id(), $refund->get_id())) {
        do_action('woocommerce_order_partially_refunded', $order->get_id(), $refund->get_id());
    } else {
        do_action('woocommerce_order_fully_refunded', $order->get_id(), $refund->get_id());
        $status = apply_filters('woocommerce_order_fully_refunded_status', 'refunded', $order->get_id(), $refund->get_id());
        if ($status) {
            $order->update_status($status);
        }
    }
    $order->save();
    do_action('woocommerce_refund_created', $refund->get_id(), $args);
    do_action('woocommerce_order_refunded', $order->get_id(), $refund->get_id());
    return $refund;
}

/** A full refund made by setting the status: what remains becomes a refund that no gateway is asked for. */
add_action('woocommerce_order_status_refunded', static function (int $orderId): void {
    $order = wc_get_order($orderId);
    $remaining = wc_format_decimal($order->get_total() - $order->get_total_refunded());
    if ((float) $remaining > 0) {
        wc_create_refund(['order_id' => $orderId, 'amount' => $remaining, 'reason' => 'Order fully refunded.']);
    }
});

/** The refund of the order's page: amounts are rounded to what the shop shows before anything is made of them. */
add_action('wp_ajax_woocommerce_refund_line_items', static function (): void {
    check_ajax_referer('order-item', 'security');
    $refund = wc_create_refund([
        'amount' => wc_format_decimal(sanitize_text_field(wp_unslash($_POST['refund_amount'])), wc_get_price_decimals()),
        'reason' => sanitize_text_field(wp_unslash($_POST['refund_reason'])),
        'order_id' => absint($_POST['order_id']),
        'refund_payment' => $_POST['api_refund'] === 'true',
    ]);
    is_wp_error($refund) ? wp_send_json_error(['error' => $refund->get_error_message()]) : wp_send_json_success([]);
});
