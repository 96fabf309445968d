<?php

declare(strict_types=1);

defined('ABSPATH') || exit;

/** What WooCommerce keeps of a visitor, by a cookie. */
final class WC_Session_Handler
{
    private $id;
    private $name;
    private $data;

    public function __construct()
    {
        $id = preg_replace('/\W/', '', $_COOKIE['shop_session'] ?? '') ?: bin2hex(random_bytes(8));
        if (!headers_sent()) {
            setcookie('shop_session', $id, ['path' => '/', 'httponly' => true]);
        }
        $this->id = $id;
        $this->name = "shop_session_{$id}";
        $this->data = (array) get_option($this->name, []);
    }

    /** As WooCommerce: of a guest, what his cookie says. */
    public function get_customer_id(): string
    {
        return $this->id;
    }

    public function get(string $key, $default = null)
    {
        return $this->data[$key] ?? $default;
    }

    public function set(string $key, $value): void
    {
        $this->data[$key] = $value;
        update_option($this->name, $this->data, false);
    }

    public function save_data(): void
    {
        update_option($this->name, $this->data, false);
    }

    public function __unset(string $key): void
    {
        $this->set($key, null);
    }
}

/** So many of the one article that is on sale. */
final class WC_Cart
{
    public function is_empty(): bool
    {
        return $this->quantity() === 0;
    }

    public function empty_cart(): void
    {
        WC()->session->set('quantity', 0);
        WC()->session->set('order_awaiting_payment', null);
    }

    public function add_to_cart(int $productId, int $quantity = 1): void
    {
        WC()->session->set('quantity', $this->quantity() + $quantity);
    }

    public function get_cart_hash(): string
    {
        return md5("quantity {$this->quantity()}");
    }

    public function quantity(): int
    {
        return (int) WC()->session->get('quantity', 0);
    }
}

add_action('init', static function (): void {
    if (is_admin() && !wp_doing_ajax()) {
        return;
    }
    WC()->session = new WC_Session_Handler();
    WC()->cart = new WC_Cart();
}, 5);

// As WooCommerce: before a request adds to the cart; for its REST API when a route reads the cart.
add_action('wp_loaded', static function (): void {
    if (WC()->cart && !isset($_GET['rest_route'])) {
        do_action('woocommerce_cart_loaded_from_session', WC()->cart);
    }
}, 10);

add_action('wp_loaded', static function (): void {
    if (isset($_GET['add-to-cart'])) {
        WC()->cart->add_to_cart((int) $_GET['add-to-cart']);
    }
}, 20);

/**
 * The order of the cart. One that was placed before and waits for its payment is taken up again, as long as the cart
 * is the same.
 */
function shop_place_order(string $email, string $method, string $createdVia): WC_Order
{
    $gateway = WC()->payment_gateways()->get_available_payment_gateways()[$method] ?? null;
    if ($gateway === null || WC()->cart->is_empty()) {
        throw new Exception($gateway === null ? 'Invalid payment method.' : 'Sorry, your session has expired.');
    }
    $hash = WC()->cart->get_cart_hash();
    $waiting = wc_get_order((int) WC()->session->get('order_awaiting_payment', 0));
    $isResumed = $waiting && $waiting->has_status(['pending', 'failed']) && $waiting->get_cart_hash() === $hash;
    $order = $isResumed ? $waiting : wc_create_order(['created_via' => $createdVia]);
    $order->remove_order_items();
    $order->add_product(wc_get_product((int) get_option('shop_test_product')), WC()->cart->quantity());
    $order->set_cart_hash($hash);
    $order->set_billing_email($email);
    $order->set_payment_method($gateway);
    $order->calculate_totals();
    WC()->session->set('order_awaiting_payment', $order->get_id());
    return $order;
}

/** What a gateway answers; notices become the reason of a failure. @throws Exception */
function shop_process_payment(WC_Order $order): array
{
    $gateway = WC()->payment_gateways()->get_available_payment_gateways()[$order->get_payment_method()];
    $result = $gateway->process_payment($order->get_id());
    if (($result['result'] ?? '') !== 'success') {
        WC()->session->set('notices', []);
        throw new Exception(implode(' ', array_column($GLOBALS['shop_notices'] ?? [], 1)));
    }
    return apply_filters('woocommerce_payment_successful_result', $result, $order->get_id());
}
