<?php
// The pages that a customer walks through, at the addresses that WooCommerce has with plain permalinks: the checkout of
// blocks and the classic one, paying for an order, and the order received.

declare(strict_types=1);

defined('ABSPATH') || exit;

add_filter('query_vars', static function (array $names): array {
    return array_merge($names, ['order-pay', 'order-received', 'view-order', 'wc-ajax']);
});

function is_wc_endpoint_url(string $endpoint = ''): bool
{
    foreach ($endpoint === '' ? ['order-pay', 'order-received', 'view-order'] : [$endpoint] as $name) {
        if ((string) get_query_var($name) !== '') {
            return true;
        }
    }
    return false;
}

function is_cart(): bool
{
    return ($_GET['page'] ?? '') === 'cart';
}

/** What customers may do with an order in the list of their account. */
function wc_get_account_orders_actions(WC_Order $order): array
{
    $actions = ['pay' => ['url' => $order->get_checkout_payment_url(), 'name' => 'Pay'], 'view' => ['url' => $order->get_view_order_url(), 'name' => 'View']];
    if (!$order->needs_payment()) {
        unset($actions['pay']);
    }
    return apply_filters('woocommerce_my_account_my_orders_actions', $actions, $order);
}

function is_checkout(): bool
{
    return in_array($_GET['page'] ?? '', ['checkout', 'classic'], true);
}

/** Ahead of the theme's own templates, after the plugins have had their say. */
add_action('template_redirect', static function (): void {
    if (!is_checkout() && !is_cart() && !is_wc_endpoint_url('view-order')) {
        return;
    }
    nocache_headers();
    if (isset($_POST['woocommerce_pay'])) {
        shop_pay_for_order();
    }
    if (isset($_POST['woocommerce_checkout_place_order'])) {
        // Without script the form is sent as it is.
        wp_redirect(shop_checkout()['redirect']);
        exit;
    }
    if (WC()->cart->is_empty() && is_checkout() && !is_wc_endpoint_url()) {
        wp_safe_redirect(home_url('/?page=cart'));
        exit;
    }
    ob_start();
    shop_print_notices();
    $title = shop_page();
    $content = ob_get_clean();
    echo '<!doctype html><html ' . get_language_attributes() . '><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>' . esc_html($title) . '</title><link rel="icon" href="data:,">';
    echo '<style>body{font:16px/1.5 system-ui;margin:24px auto;max-width:640px;padding:0 30px}.button{padding:10px 16px;border:0;border-radius:6px;background:#eee;color:#222;text-decoration:none;font:inherit}.alt{background:#334;color:#fff}li{list-style:none}ul{padding:0}label img{vertical-align:middle;margin-left:8px}</style>';
    wp_head();
    echo '</head><body class="woocommerce-checkout"><h1>' . esc_html($title) . "</h1>{$content}";
    wp_footer();
    echo '</body></html>';
    exit;
}, 20);

add_action('template_redirect', static function (): void {
    if (get_query_var('wc-ajax') !== 'checkout') {
        return;
    }
    try {
        wp_send_json(shop_checkout());
    } catch (Exception $error) {
        wp_send_json(['result' => 'failure', 'messages' => '<ul class="woocommerce-error"><li>' . wp_kses_post($error->getMessage()) . '</li></ul>', 'refresh' => false, 'reload' => false]);
    }
}, 0);

/** What the classic checkout shows of the cart, asked for whenever its form is opened or changed. */
add_action('template_redirect', static function (): void {
    if (get_query_var('wc-ajax') !== 'update_order_review') {
        return;
    }
    $fragments = [];
    if (WC()->cart->is_empty()) {
        $fragments['form.woocommerce-checkout'] = wc_print_notice('Sorry, your session has expired.', 'error', [], true);
    }
    wp_send_json(['fragments' => apply_filters('woocommerce_update_order_review_fragments', $fragments)]);
}, 0);

/** Prints what stands in the page. @return string its title */
function shop_page(): string
{
    $key = sanitize_text_field(wp_unslash($_GET['key'] ?? ''));
    $order = wc_get_order((int) (get_query_var('order-pay') ?: get_query_var('order-received') ?: get_query_var('view-order')));
    $isKnown = $order && hash_equals($order->get_order_key(), $key);
    if (is_wc_endpoint_url('order-received')) {
        return shop_order_received($isKnown ? $order : null);
    }
    if (is_wc_endpoint_url('order-pay')) {
        if (!$isKnown || !$order->needs_payment()) {
            echo '<p class="woocommerce-error">' . ($isKnown ? 'This order’s status is “' . esc_html($order->get_status()) . '”—it cannot be paid for. Please contact us if you need assistance.' : 'Sorry, this order is invalid and cannot be paid for.') . '</p>';
        } elseif (isset($_GET['pay_for_order'])) {
            echo '<form id="order_review" method="post">';
            shop_methods();
            echo '<input type="hidden" name="woocommerce_pay" value="1"><button type="submit" class="button alt" id="place_order">Pay for order</button></form>';
        } else {
            shop_order_details($order);
            do_action("woocommerce_receipt_{$order->get_payment_method()}", $order->get_id());
        }
        return 'Pay for order';
    }
    if (is_wc_endpoint_url('view-order')) {
        return shop_view_order($isKnown ? $order : null);
    }
    if (is_cart()) {
        echo '<p>' . (WC()->cart->is_empty() ? 'Your cart is currently empty.' : 'Mug × ' . WC()->cart->quantity()) . '</p>';
        return 'Cart';
    }
    if ($_GET['page'] === 'classic') {
        wp_enqueue_script('shop-classic', plugins_url('classic.js', __FILE__), ['jquery'], '1', true);
        echo '<form class="checkout woocommerce-checkout" method="post"><input type="hidden" name="woocommerce-process-checkout-nonce" value="' . wp_create_nonce('woocommerce-process_checkout') . '"><p><label>Email address <input type="email" id="billing_email" name="billing_email" required></label></p>';
        shop_methods();
        echo '<button type="submit" class="button alt" id="place_order" name="woocommerce_checkout_place_order" value="Place order">Place order</button></form>';
    } else {
        shop_block_checkout();
    }
    return 'Checkout';
}

/** The list of payment methods, the first of them chosen. */
function shop_methods(): void
{
    $checked = ' checked';
    echo '<ul class="wc_payment_methods payment_methods methods">';
    foreach (WC()->payment_gateways()->get_available_payment_gateways() as $id => $gateway) {
        echo "<li class='wc_payment_method payment_method_{$id}'><input id='payment_method_{$id}' type='radio' class='input-radio' name='payment_method' value='{$id}'{$checked}> <label for='payment_method_{$id}'>" . esc_html($gateway->get_title()) . $gateway->get_icon() . "</label><div class='payment_box payment_method_{$id}'>";
        $gateway->payment_fields();
        echo '</div></li>';
        $checked = '';
    }
    echo '</ul>';
}

function shop_order_details(WC_Order $order): void
{
    echo '<ul class="order_details"><li>Order number: <strong>' . esc_html($order->get_order_number()) . '</strong></li><li>Total: <strong>' . esc_html("{$order->get_total()} {$order->get_currency()}") . '</strong></li><li>Payment method: <strong>' . esc_html($order->get_payment_method_title()) . '</strong></li></ul>';
}

function shop_order_received(?WC_Order $order): string
{
    WC()->session->set('order_awaiting_payment', null);
    WC()->cart->empty_cart();
    if ($order !== null) {
        do_action('woocommerce_before_thankyou', $order->get_id());
    }
    echo '<p>Thank you. Your order has been received.</p>';
    if ($order !== null) {
        shop_order_details($order);
        do_action("woocommerce_thankyou_{$order->get_payment_method()}", $order->get_id());
        do_action('woocommerce_thankyou', $order->get_id());
    }
    return 'Order received';
}

/** In the account of a customer; the stand-in knows him by the key of the order. */
function shop_view_order(?WC_Order $order): string
{
    if ($order === null) {
        return 'Invalid order';
    }
    do_action('woocommerce_view_order', $order->get_id());
    shop_order_details($order);
    foreach (wc_get_account_orders_actions($order) as $name => $action) {
        echo '<a class="button ' . esc_attr($name) . '" href="' . esc_url($action['url']) . '">' . esc_html($action['name']) . '</a> ';
    }
    return 'Order';
}

/** Once, on the next page that is shown. */
function shop_print_notices(): void
{
    foreach ((array) WC()->session->get('notices', []) as [$type, $text]) {
        echo '<div class="woocommerce-' . esc_attr($type) . '">' . wp_kses_post($text) . '</div>';
    }
    WC()->session->set('notices', []);
}

/** @throws Exception */
function shop_checkout(): array
{
    do_action('woocommerce_before_checkout_process');
    $errors = new WP_Error();
    do_action('woocommerce_after_checkout_validation', ['payment_method' => sanitize_key($_POST['payment_method'] ?? '')], $errors);
    if ($errors->has_errors()) {
        throw new Exception($errors->get_error_message());
    }
    $order = shop_place_order(sanitize_email(wp_unslash($_POST['billing_email'] ?? '')), sanitize_key($_POST['payment_method'] ?? ''), 'checkout');
    do_action('woocommerce_checkout_order_processed', $order->get_id(), [], $order);
    return shop_process_payment($order) + ['order_id' => $order->get_id()];
}

/** The form of an order that is paid later. */
function shop_pay_for_order(): void
{
    $order = wc_get_order((int) get_query_var('order-pay'));
    if (!$order || !hash_equals($order->get_order_key(), sanitize_text_field(wp_unslash($_GET['key'] ?? ''))) || !$order->needs_payment()) {
        return;
    }
    do_action('woocommerce_before_pay_action', $order);
    $order->set_payment_method(WC()->payment_gateways()->get_available_payment_gateways()[sanitize_key($_POST['payment_method'])]);
    $order->save();
    wp_redirect(shop_process_payment($order)['redirect']);
    exit;
}
